import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

export const REPORT_KINDS = ['card', 'logs', 'access', 'incidents'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The event that a statement rests on. */
export type ReportEvent = {
  readonly type: string;
  readonly stream: string;
  /** Number in the stream, from 0. */
  readonly revision: number;
  readonly id: string;
  readonly position: string;
  readonly time: string;
};

/**
 * A statement of a report. `events`: it follows from these events, of many the first and the last; `no_event`: from
 * the absence of such events up to the position of the report; `settings`: from the settings of the running system, which the log does not have; `not_recorded`: nothing here says it, and whoever deploys the model has to.
 */
export type Statement = {
  readonly text: string;
  readonly source: 'events' | 'no_event' | 'settings' | 'not_recorded';
  readonly events: readonly ReportEvent[];
  /** The same as values, for programs. */
  readonly values?: JsonObject;
};

export type Section = {
  readonly title: string;
  readonly statements: readonly Statement[];
};

/** The place of the log that a report was made at. */
export type ReportHead = {
  readonly log_id: string | null;
  readonly workspace_id: string;
  /** The last event that the report takes in: `as_of` with it gives the same statements. null: the log is empty. */
  readonly position: string | null;
  /** Time of that event. */
  readonly time: string | null;
  /** The newest signed head of the audit tree; null: none was signed yet. */
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly root: string } | null;
  readonly since: string | null;
  readonly until: string | null;
};

export type Report = {
  readonly kind: ReportKind;
  /** Name of its files, without an ending. */
  readonly name: string;
  readonly title: string;
  readonly head: ReportHead;
  readonly sections: readonly Section[];
};

export const cited = ({ type, stream, revision, id, position, metadata }: RecordedEvent): ReportEvent => ({
  ...{ type, stream, revision, id, position },
  time: metadata.occurredAt,
});

/**
 * What a person said of why, and the ticket that they named, at the end of a sentence; empty if nothing.
 * @param said where the event itself has the reason
 */
export function whyOf({ metadata }: RecordedEvent, said: string | null = null): string {
  const { reason = said, ticket = null } = metadata;
  return `${reason === null ? '' : `; reason: ${JSON.stringify(reason)}`}${ticket === null ? '' : `; ticket: ${JSON.stringify(ticket)}`}`;
}

/** A statement that follows from these events. */
export const fact = (text: string, events: readonly ReportEvent[], values?: JsonObject): Statement => ({
  ...{ text, source: 'events', events },
  ...(values && { values }),
});

/** A statement that follows from the absence of events. */
export const noEvent = (text: string): Statement => ({ text, source: 'no_event', events: [] });

export const setting = (text: string, values?: JsonObject): Statement => ({
  ...{ text, source: 'settings', events: [] },
  ...(values && { values }),
});

/** @param what what the deployer has to write */
export const notRecorded = (what: string): Statement => ({
  ...{ text: `${what}: not recorded. The deployer fills it in.`, source: 'not_recorded', events: [] },
});
