import { QuotaExceededError } from '#domain/errors.js';
import { ABSENT, type Coordination, type Entry } from '#ports/coordination/port.js';
import type { Json } from '#domain/json.js';
import { NOTHING, type Amount } from './quota.js';

/**
 * `upload`: an upload that is not processed yet; `put`: a file on its way to one; `source`: a file that is fetched; `rows`: converted
 * or merged.
 */
export type ReservedKind = 'upload' | 'put' | 'source' | 'rows';

export interface Reserved extends Amount {
  readonly versionId: string;
  readonly kind: ReservedKind;
}

/** Bytes reserved ahead of those written. */
const STEP_BYTES = 16 * 1024 * 1024;

/** Room for what one writer is about to store, until the read model counts it or the writer stops. */
export class StorageReservation {
  private held = NOTHING;
  private entry: Entry | null = null;

  constructor(
    private readonly coordination: Coordination,
    private readonly options: { readonly key: string; readonly value: Reserved; readonly ttlMs: number },
    /** Checks that everything stored and reserved, including `own`, is within the limits. @throws QuotaExceededError */
    private readonly check: (own: Amount) => Promise<void>,
  ) {}

  /** Holds this amount in total, or keeps the former one. @throws QuotaExceededError */
  async hold(amount: Amount): Promise<void> {
    const before = await this.present();
    await this.write(amount);
    try {
      await this.check(amount);
    } catch (error) {
      await this.write(before);
      throw error;
    }
  }

  /** The content, in steps that are reserved before they are taken. @throws QuotaExceededError (while iterating) */
  async *metered<Chunk extends Uint8Array>(content: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > this.held.bytes) await this.holdStep(bytes);
      yield chunk;
    }
  }

  /** Sets the held amount, unchecked. */
  async write({ bytes, rows }: Amount): Promise<void> {
    const { key, value, ttlMs } = this.options;
    const amount = { ...value, bytes, rows } as unknown as Json;
    for (;;) {
      const expected = this.entry ? ({ kind: 'version', version: this.entry.version } as const) : ABSENT;
      const written = await this.coordination.compareAndSet(key, expected, amount, ttlMs);
      this.entry = written ?? (await this.coordination.get(key));
      if (written === null) continue;
      this.held = { bytes, rows };
      return;
    }
  }

  async release(): Promise<void> {
    this.held = NOTHING;
    this.entry = null;
    await this.coordination.delete(this.options.key);
  }

  /** The amount that is held, by an earlier writer of the same too. */
  private async present(): Promise<Amount> {
    if (this.entry === null) {
      this.entry = await this.coordination.get(this.options.key);
      const { bytes, rows } = (this.entry?.value ?? NOTHING) as unknown as Amount;
      this.held = { bytes, rows };
    }
    return this.held;
  }

  /** One step ahead, if there is room for it. */
  private async holdStep(bytes: number): Promise<void> {
    const { rows } = this.held;
    try {
      await this.hold({ bytes: bytes + STEP_BYTES, rows });
    } catch (error) {
      if (!(error instanceof QuotaExceededError)) throw error;
      await this.hold({ bytes, rows });
    }
  }
}
