import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors.js';
import { INCIDENT_EVENT_TYPES, type IncidentEvent, type IncidentFacts } from './events.js';
import { evolve, NO_INCIDENTS, type Incident, type IncidentsState } from './state.js';

type IncidentCommand = CommandsOf<{
  'open-incident': { incidentId: string; workspaceId: string; description: string } & IncidentFacts;
  /** Absent fields stay as they are. */
  'update-incident': { incidentId: string; workspaceId: string; changes: Partial<IncidentFacts>; note: string | null };
  'close-incident': { incidentId: string; workspaceId: string; resolution: string };
}>;

const MAX_INCIDENTS = 1_000;
const MAX_UPDATES = 200;

/** Decides on the incidents of a workspace: a stream for each workspace. A closed incident stays as it is. */
export const incidentDecider: Decider<IncidentCommand, IncidentEvent, IncidentsState> = {
  category: 'incident',
  eventTypes: INCIDENT_EVENT_TYPES,
  initial: NO_INCIDENTS,
  decide,
  evolve,
};

function decide(command: IncidentCommand, state: IncidentsState, env: Env): readonly IncidentEvent[] {
  const { incidentId, workspaceId } = command;
  const of = { incidentId, workspaceId };
  const incident = state.get(incidentId);
  if (command.type === 'open-incident') {
    if (incident) return [];
    if (state.size >= MAX_INCIDENTS) throw new ConflictError(`this workspace has ${MAX_INCIDENTS} incidents, the most`);
    const { type: _, ...opened } = command;
    requireModel(opened);
    return [{ type: 'incident-opened.v1', data: { ...opened, openedAt: env.now } }];
  }
  if (!incident) throw new NotFoundError('incident', incidentId);
  if (command.type === 'close-incident') {
    const { resolution } = command;
    if (incident.closed?.resolution === resolution) return [];
    requireOpen(incident);
    return [{ type: 'incident-closed.v1', data: { ...of, resolution, closedAt: env.now } }];
  }
  const { note } = command;
  const changes = changed(incident, command.changes);
  const isRepeated = note === null || incident.notes.at(-1)?.note === note;
  if (Object.keys(changes).length === 0 && isRepeated) return [];
  requireOpen(incident);
  requireModel({ ...incident, ...changes });
  if (incident.updates >= MAX_UPDATES)
    throw new ConflictError(`incident ${incidentId} has ${MAX_UPDATES} updates, the most; close it and open another`);
  return [{ type: 'incident-updated.v1', data: { ...of, changes, note, updatedAt: env.now } }];
}

const changed = (incident: Incident, changes: Partial<IncidentFacts>): Partial<IncidentFacts> =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([field, value]) => JSON.stringify(incident[field as keyof IncidentFacts]) !== JSON.stringify(value),
    ),
  );

function requireOpen({ incidentId, closed }: Incident): void {
  if (closed) throw new ConflictError(`incident ${incidentId} is closed; open another one`);
}

/** @throws InvalidError for the version of no model */
function requireModel({ model, version }: IncidentFacts): void {
  if (version !== null && model === null)
    throw new InvalidError({
      path: ['version'],
      message: 'needs `model`: the name that it is a version of',
      type: 'not_allowed',
    });
}
