import type { IncidentEvent, IncidentFacts } from './events.js';

export interface Incident extends IncidentFacts {
  readonly incidentId: string;
  readonly description: string;
  /** Notes of the updates, oldest first. */
  readonly notes: readonly { readonly note: string; readonly at: string }[];
  readonly updates: number;
  readonly openedAt: string;
  readonly updatedAt: string;
  /** null while it is open. */
  readonly closed: { readonly resolution: string; readonly at: string } | null;
}

/** Incidents of a workspace by id, oldest first. */
export type IncidentsState = ReadonlyMap<string, Incident>;

export const NO_INCIDENTS: IncidentsState = new Map();

export function evolve(state: IncidentsState, event: IncidentEvent): IncidentsState {
  const incident = state.get(event.data.incidentId);
  const next = nextOf(incident, event);
  return next === undefined ? state : new Map(state).set(next.incidentId, next);
}

function nextOf(incident: Incident | undefined, { type, data }: IncidentEvent): Incident | undefined {
  if (type === 'incident-opened.v1') {
    const { workspaceId: _, ...opened } = data;
    return { ...opened, notes: [], updates: 0, updatedAt: data.openedAt, closed: null };
  }
  if (incident === undefined) return undefined;
  if (type === 'incident-closed.v1')
    return { ...incident, updatedAt: data.closedAt, closed: { resolution: data.resolution, at: data.closedAt } };
  const { changes, note, updatedAt } = data;
  const notes = note === null ? incident.notes : [...incident.notes, { note, at: updatedAt }];
  return { ...incident, ...changes, notes, updatedAt, updates: incident.updates + 1 };
}
