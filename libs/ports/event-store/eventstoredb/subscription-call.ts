import type { Readable } from 'node:stream';
import {
  eventTypeFilter,
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type Filter,
} from '@eventstore/db-client';
import type { EventFilter, Position } from '../port.js';
import type { LogClient } from './client.js';
import { Inflow } from './inflow.js';
import { fromPosition, type LogPosition } from './position.js';

/** The items of a subscription's call, in log order. */
export type Item = AllStreamResolvedEvent | { readonly checkpoint: LogPosition } | { readonly caughtUp: true };

/** Items that the client holds before it lets the server wait. */
const HELD = 16;
/** Characters of event data in one batch, about. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Events after a place, history first, then live ones: the server waits while nothing is read. */
export class SubscriptionCall implements Disposable {
  private readonly inflow: Inflow<Item>;

  constructor(client: LogClient, after: Position | null, filter: EventFilter | undefined) {
    const subscription = client.subscribeToAll(
      {
        fromPosition: after === null ? START : fromPosition(after),
        filter: {
          ...serverFilter(filter),
          // The checkpoint may overtake in-flight events: it queues after them from here.
          checkpointReached: (_, checkpoint) => void subscription.push({ checkpoint }),
        },
      },
      { highWaterMark: HELD },
    );
    subscription.on('caughtUp', () => void subscription.push({ caughtUp: true }));
    this.inflow = new Inflow<Item>(subscription as unknown as Readable, () => subscription.unsubscribe());
  }

  /**
   * The items that have arrived, at most `size`; waits up to `waitMs` for the first, and for more until the earliest time of
   * their events' types.
   * @param notBefore times of `performance.now` by type
   * @returns null when the server has ended the call
   * @throws the error that broke it
   */
  async take(
    size: number,
    waitMs: number,
    notBefore: (type: string) => number,
    signal: AbortSignal,
  ): Promise<readonly Item[] | null> {
    const { inflow } = this;
    if (!(await inflow.wait(waitMs, signal))) return [];
    const items: Item[] = [];
    let characters = 0;
    let fullAt = Infinity;
    for (;;) {
      for (let item; (item = items.length < size ? inflow.read() : null) !== null;) {
        items.push(item);
        if ('event' in item && item.event) {
          characters += charactersIn(item.event.data);
          fullAt = Math.min(fullAt, notBefore(item.event.type));
        }
        if (characters > BATCH_CHARACTERS || 'caughtUp' in item) return items;
      }
      // Without an event there is nothing to wait with.
      const left = (fullAt === Infinity ? 0 : fullAt) - performance.now();
      if (items.length >= size || left <= 0 || inflow.over || !(await inflow.wait(left, signal))) break;
    }
    return items.length === 0 && inflow.ended() ? null : items;
  }

  [Symbol.dispose](): void {
    this.inflow[Symbol.dispose]();
  }
}

/** Characters in the texts of a value, which make up nearly all of any large value. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 0;
  for (const part of Object.values(value)) sum += charactersIn(part);
  return sum;
}

/** Events that the server scans before it reports its progress. */
const SEARCHED = 512;

/**
 * The server-side filter. It can filter by type or by stream name, not both, and always excludes system events;
 * `matches` does the rest.
 */
function serverFilter({ types, categories }: EventFilter = {}): Filter {
  const searched = { maxSearchWindow: SEARCHED, checkpointInterval: 1 };
  if (types) return eventTypeFilter({ regex: `^(?:${types.map(escaped).join('|')})$`, ...searched });
  if (categories) return streamNameFilter({ regex: `^(?:${categories.map(escaped).join('|')})(?:-|$)`, ...searched });
  return eventTypeFilter({ regex: '^[^$]', ...searched });
}

/** Has the same meaning in .NET's regular expressions and in JavaScript's. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
