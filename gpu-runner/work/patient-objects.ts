import { setTimeout as sleep } from 'node:timers/promises';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import { ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';

/** The object operations of an attempt. */
export type AttemptObjects = Pick<ObjectStore, 'get' | 'put' | 'list' | 'deletePrefix'>;

interface Patience {
  /** Called once when an outage begins. */
  readonly onOutage: () => void;
  /** Called with each chunk and each try. */
  readonly onMove: () => void;
  /** Aborts when the attempt is to stop: an outage then ends it. */
  readonly signal: AbortSignal;
  /** Limit on one outage. */
  readonly totalMs?: number;
}

const AN_HOUR_MS = 3_600_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 15_000;

/**
 * The objects, for work that must survive an outage of their store, or a full disk there: failed reads and writes are
 * retried for an hour. Content to store may be read again from its beginning: it must yield new chunks each time it is
 * iterated. Interrupted content continues where it broke; its reader verifies the hash.
 */
export function patient(store: AttemptObjects, patience: Patience): AttemptObjects {
  return {
    list: (prefix) => store.list(prefix),
    deletePrefix: (prefix) => new Outage(patience).outlast(() => store.deletePrefix(prefix)),
    put: (key, content, options) =>
      new Outage(patience).outlast(() => store.put(key, moving(content, patience), options)),
    async get(key, range = { start: 0 }) {
      const outage = new Outage(patience);
      const open = (start: number) => outage.outlast(() => store.get(key, { ...range, start }));
      return resumed(await open(range.start), range.start, open, outage, patience);
    },
  };
}

async function* resumed(
  first: AsyncIterable<Uint8Array>,
  start: number,
  open: (start: number) => Promise<AsyncIterable<Uint8Array>>,
  outage: Outage,
  { onMove }: Patience,
): AsyncIterable<Uint8Array> {
  let [content, at] = [first, start];
  for (;;) {
    try {
      for await (const chunk of content) {
        outage.ended();
        onMove();
        at += chunk.byteLength;
        yield chunk;
      }
      return;
    } catch (error) {
      await outage.wait(error);
    }
    content = await open(at);
  }
}

type Content = Parameters<AttemptObjects['put']>[1];

/** Content that reports each of its chunks. */
const moving = (content: Content, { onMove }: Patience): Content =>
  content instanceof Uint8Array
    ? content
    : {
        async *[Symbol.asyncIterator]() {
          for await (const chunk of content) {
            onMove();
            yield chunk;
          }
        },
      };

class Outage {
  private since: number | null = null;
  private waitMs = FIRST_WAIT_MS;

  constructor(private readonly patience: Patience) {}

  async outlast<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        this.patience.onMove();
        return await step();
      } catch (error) {
        await this.wait(error);
      }
    }
  }

  ended(): void {
    this.since = null;
    this.waitMs = FIRST_WAIT_MS;
  }

  /** @throws the error itself, if it is not an outage of the store or the time for retries is over */
  async wait(error: unknown): Promise<void> {
    const { signal, onOutage, totalMs = AN_HOUR_MS } = this.patience;
    if (!(error instanceof ObjectStoreUnavailableError || isOutOfRoom(error))) throw error;
    if (this.since === null) {
      this.since = performance.now();
      onOutage();
    }
    if (signal.aborted || performance.now() - this.since > totalMs) throw error;
    await sleep(this.waitMs, undefined, { signal }).catch(() => undefined);
    this.waitMs = Math.min(2 * this.waitMs, MAX_WAIT_MS);
  }
}
