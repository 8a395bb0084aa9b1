import type { Application } from '#application/application.js';
import { readCheckpoint } from '#audit/checkpoint.js';
import { TreeFiles } from '#audit/tree-files.js';
import { fold } from '#domain/decider.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import { modelReferenceOf } from '#domain/model/index.js';
import { DEFAULT_BOUNDS } from '#domain/retention/index.js';
import { membersOf, teamDecider, type Team, type TeamEvent } from '#domain/team/index.js';
import { streamName } from '#domain/streams.js';
import type { EventReader, Position, RecordedEvent } from '#ports/event-store/port.js';
import { accessSections } from './access.js';
import { cardSections } from './card.js';
import { Gathered } from './gathered.js';
import { incidentSections } from './incidents.js';
import { logsSections } from './logs.js';
import { modelFacts, modelNames } from './model-facts.js';
import { namesOf } from './names.js';
import { REPORT_KINDS, type Report, type ReportHead, type ReportKind } from './report.js';

export interface ReportOrder {
  readonly teamId: string;
  readonly workspaceId: string;
  /** null: all. */
  readonly kind: ReportKind | null;
  /** Of cards: a name, or `name@version`; null: all names. */
  readonly model: string | null;
  /** ISO 8601, inclusive: acts and incidents. */
  readonly since: string | null;
  readonly until: string | null;
  /** Position of the last event to take in; null: the log's newest. */
  readonly asOf: string | null;
}

/**
 * Makes reports from the log alone, by one pass over the categories of streams that they need.
 * @throws InvalidError for a position or a reference that cannot be; NotFoundError for an unknown model
 */
export async function makeReports(
  application: Application,
  order: ReportOrder,
  signal?: AbortSignal,
): Promise<readonly Report[]> {
  const { teamId, workspaceId, since, until } = order;
  const wanted = modelOf(order.model);
  if (since !== null && until !== null && since > until)
    throw new InvalidError({
      path: ['query', 'since'],
      message: 'must not be later than `until`',
      type: 'out_of_range',
    });
  const { logId, position } = await application.storedEvents.head();
  const last = lastOf(order.asOf, position);
  const kinds = order.kind === null ? REPORT_KINDS : [order.kind];
  const scope = { kinds, teamId, workspaceId, until: last, period: { since, until } };
  const gathered = await Gathered.of(application, scope, signal);
  const newest = last === null ? null : await newestUntil(application.storedEvents, last);
  const note = await new TreeFiles(application.ports.objectStore).checkpoint();
  const head: ReportHead = {
    log_id: logId,
    workspace_id: workspaceId,
    position: newest?.position ?? null,
    time: newest?.metadata.occurredAt ?? null,
    checkpoint: note === null ? null : checkpointOf(note),
    ...{ since, until },
  };
  const team = teamAt(gathered, teamId);
  const names = await namesOf(application, gathered, [...membersOf(team, workspaceId).keys()]);
  const bounds = application.deployment.retention ?? DEFAULT_BOUNDS;
  const reports = (kind: ReportKind): readonly Report[] => {
    if (kind === 'logs')
      return [
        {
          ...{ kind, head, name: 'logs', title: 'Logs of calls: articles 12, 19 and 26 of the EU AI Act' },
          sections: logsSections(gathered, { workspaceId, team, bounds, names }),
        },
      ];
    if (kind === 'access')
      return [
        {
          ...{ kind, head, name: 'access', title: 'Access review' },
          sections: accessSections(gathered, { workspaceId, team, names, period: { since, until } }),
        },
      ];
    if (kind === 'incidents')
      return [
        {
          ...{ kind, head, name: 'incidents', title: 'Incidents' },
          sections: incidentSections(gathered, names, { since, until }),
        },
      ];
    return (wanted === null ? modelNames(gathered) : [wanted.name]).map((model) => {
      const version = wanted?.version ?? null;
      const facts = modelFacts(gathered, model, version);
      const reference = version === null ? model : `${model}@${version}`;
      if (facts === null) throw new NotFoundError('model', reference);
      const title = `Model card and technical documentation (annex IV of the EU AI Act): ${reference}`;
      return { ...{ kind, head, title, name: `card-${reference}` }, sections: cardSections(facts, gathered, names) };
    });
  };
  return kinds.flatMap((kind) => reports(kind));
}

/** @throws InvalidError */
function modelOf(text: string | null): { readonly name: string; readonly version: number | null } | null {
  if (text === null) return null;
  const found = modelReferenceOf(text);
  if (found !== null && (found.ref === null || 'version' in found.ref))
    return { name: found.name, version: found.ref?.version ?? null };
  throw new InvalidError({
    path: ['query', 'model'],
    message: 'must be the name of a model, or name@version',
    type: 'not_allowed',
  });
}

/** @throws InvalidError */
function lastOf(asOf: string | null, head: string | null): string | null {
  if (asOf === null || head === null) return head;
  const position = /^\d{1,20}$/.test(asOf) ? asOf.padStart(head.length, '0') : '';
  if (position.length === head.length && position <= head) return position;
  throw new InvalidError({
    path: ['query', 'position'],
    message: `must be a position of the log, at most ${head}`,
    type: 'out_of_range',
  });
}

/** The event at a position, or the last one before it; null: none is left. */
async function newestUntil(events: EventReader, position: Position): Promise<RecordedEvent | null> {
  const there = await events.eventAt(position);
  if (there !== null) return there;
  for await (const event of events.readAll({ direction: 'backwards', after: position, limit: 1 })) return event;
  return null;
}

function checkpointOf(note: string): NonNullable<ReportHead['checkpoint']> {
  const { origin, size, root } = readCheckpoint(note);
  return { origin, size, root: Buffer.from(root).toString('base64') };
}

/** The team as its events up to the position make it. */
function teamAt(gathered: Gathered, teamId: string): Team {
  const stream = streamName('team', teamId);
  const events = gathered.events<TeamEvent>('team').filter((event) => event.stream === stream);
  const team = fold(teamDecider, events);
  if (team.status === 'none') throw new NotFoundError('team', teamId);
  return team;
}
