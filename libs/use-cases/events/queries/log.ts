import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { InvalidError } from '#domain/errors.js';
import type { Position, RecordedEvent } from '#ports/event-store/port.js';
import { MAX_PAGE_BYTES } from '../../calls/answer-budget.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { positionBefore } from '../position-before.js';
import { requirePosition, Selection, type EventFilters } from '../selection.js';

interface LogRequest extends EventFilters {
  /** Times of events, ISO 8601, inclusive. */
  readonly since?: string;
  readonly until?: string;
  /** By position in the log. */
  readonly order: 'asc' | 'desc';
  /** `nextCursor` of the page before. */
  readonly cursor?: Position;
  readonly limit: number;
}

interface LogPage {
  readonly events: readonly RecordedEvent[];
  /** null at the end. A page may be short, or empty, before the end. */
  readonly nextCursor: Position | null;
}

export class ReadLog extends CallerQuery<LogRequest, LogPage> {}

/** Events of all workspaces that one page scans: it ends there, and the next one continues. */
const MAX_SCANNED = 10_000;
/** Clocks of writers differ: at this distance from a bound, no event within it is expected any more. */
const CLOCK_SLACK_MS = 10 * 60_000;

/** The workspace's events in the order of the log, as they were stored. */
@QueryHandler(ReadLog)
export class ReadLogHandler implements IQueryHandler<ReadLog> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: query }: ReadLog): Promise<LogPage> {
    const { since, until, order, cursor, limit } = query;
    if (since !== undefined && until !== undefined && since > until)
      throw new InvalidError({
        ...{ path: ['query', 'since'], message: 'must not be later than `until`', type: 'out_of_range' },
      });
    if (cursor !== undefined) await requirePosition(this.application, 'cursor', cursor);
    const selection = new Selection(this.application, caller, query);
    const isAscending = order === 'asc';
    const events: RecordedEvent[] = [];
    let [bytes, scanned] = [0, 0];
    for await (const event of this.application.storedEvents.readAll({
      direction: isAscending ? 'forwards' : 'backwards',
      after: cursor ?? (await this.start(query)),
      filter: selection.filter,
    })) {
      if (isBeyond(event, isAscending ? until : undefined, isAscending ? undefined : since)) break;
      scanned += 1;
      const shown = isWithin(event, query) && selection.has(event) ? await selection.shown(event) : null;
      if (shown !== null) {
        events.push(shown);
        bytes += JSON.stringify(shown.data).length;
      }
      if (events.length === limit || bytes > MAX_PAGE_BYTES || scanned === MAX_SCANNED)
        return { events, nextCursor: event.position };
    }
    return { events, nextCursor: null };
  }

  /** Times have no index; the log's order nearly is theirs. */
  private async start({ since, until, order }: LogRequest): Promise<Position | null> {
    const bound = order === 'asc' ? since && shifted(since, -CLOCK_SLACK_MS) : until && shifted(until, CLOCK_SLACK_MS);
    if (bound === undefined) return null;
    const before = await positionBefore(this.application.storedEvents, bound);
    return order === 'asc' ? before.last : before.next;
  }
}

const isWithin = ({ metadata: { occurredAt } }: RecordedEvent, { since, until }: LogRequest): boolean =>
  (since === undefined || occurredAt >= since) && (until === undefined || occurredAt <= until);

/** Whether no event within a bound is expected after this one. */
const isBeyond = ({ metadata: { occurredAt } }: RecordedEvent, until?: string, since?: string): boolean =>
  (since !== undefined && occurredAt < shifted(since, -CLOCK_SLACK_MS)) ||
  (until !== undefined && occurredAt > shifted(until, CLOCK_SLACK_MS));

const shifted = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();
