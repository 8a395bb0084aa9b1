import type { EventsOf, EventTypes } from '../decider.js';

/** `serious`: as article 3(49) of the EU AI Act has it, such as harm to health or a breach of fundamental rights. */
export const SEVERITIES = ['low', 'medium', 'high', 'serious'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What an incident is about. Each update that names a field replaces it. */
export type IncidentFacts = {
  readonly title: string;
  readonly severity: Severity;
  /** The name or the id by which the affected model is called; null: not known, or no model. */
  readonly model: string | null;
  /** Version of the named model; null: all, or not known. */
  readonly version: number | null;
  /** Ids of affected calls. */
  readonly calls: readonly string[];
};

type Of = { readonly incidentId: string; readonly workspaceId: string };

export type IncidentEvent = EventsOf<{
  'incident-opened.v1': Of & IncidentFacts & { readonly description: string; readonly openedAt: string };
  'incident-updated.v1': Of & {
    readonly changes: Partial<IncidentFacts>;
    /** What was found or done; null: nothing is said. */
    readonly note: string | null;
    readonly updatedAt: string;
  };
  'incident-closed.v1': Of & { readonly resolution: string; readonly closedAt: string };
}>;

export const INCIDENT_EVENT_TYPES: EventTypes<IncidentEvent> = {
  'incident-opened.v1': true,
  'incident-updated.v1': true,
  'incident-closed.v1': true,
};
