import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineSplitter } from './formats/index.js';
import type { JsonObject } from '#domain/json.js';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import { ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';

/** Outages of the store up to so long are waited out: an answer that is not stored is paid for again. */
const OUTAGE_MS = 600_000;
const WAIT_MS = 1_000;

/**
 * Answers that cost money or time, kept in small objects until all have arrived, so that a worker or runner that takes over
 * needs none of them again. Answers that arrive while an object is being stored are stored together in the next one.
 */
export class KeptLines<Line extends JsonObject & { readonly row: number }> {
  private waiting: Line[] = [];
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly objects: Pick<ObjectStore, 'get' | 'put' | 'list' | 'deletePrefix'>,
    /** Prefix of their keys, with a slash at its end. */
    private readonly prefix: string,
    private readonly signal: AbortSignal,
  ) {}

  /** The lines by row. @throws ObjectStoreUnavailableError */
  async read(): Promise<ReadonlyMap<number, Line>> {
    const found = new Map<number, Line>();
    for await (const line of this.each()) found.set(line.row, line);
    return found;
  }

  /** Every line, in no order. A row may come twice. @throws ObjectStoreUnavailableError */
  async *each(): AsyncGenerator<Line> {
    for await (const { key } of this.objects.list(this.prefix)) {
      const splitter = new LineSplitter();
      for await (const chunk of await this.objects.get(key))
        for (const line of splitter.push(Buffer.from(chunk))) yield JSON.parse(line.toString()) as Line;
    }
  }

  /**
   * Resolves once the line is stored.
   * @throws errors of the object store
   */
  keep(line: Line): Promise<void> {
    this.waiting.push(line);
    if (this.waiting.length === 1) this.last = this.last.catch(() => undefined).then(() => this.store());
    return this.last;
  }

  /** Removes them; harmless to do twice. */
  remove(): Promise<void> {
    return this.objects.deletePrefix(this.prefix);
  }

  private async store(): Promise<void> {
    const answers = this.waiting;
    this.waiting = [];
    const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('');
    const key = `${this.prefix}${randomUUID()}.jsonl`;
    const since = performance.now();
    for (;;)
      try {
        return void (await this.objects.put(key, Buffer.from(lines)));
      } catch (error) {
        const isOutage = error instanceof ObjectStoreUnavailableError || isOutOfRoom(error);
        if (!isOutage || this.signal.aborted || performance.now() - since > OUTAGE_MS) throw error;
        await sleep(WAIT_MS, undefined, { signal: this.signal }).catch(() => undefined);
      }
  }
}
