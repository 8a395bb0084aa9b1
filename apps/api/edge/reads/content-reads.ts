import { v7 as uuid7 } from 'uuid';
import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import type { Ports } from '#application/ports.js';
import { StreamAppender } from '#calls/recording/stream-appender.js';
import type { ContentRead, ContentsRead } from '#domain/content-read/index.js';
import type { Logger } from '#primitives/logging/logger.js';
import type { Metrics } from '#primitives/metrics/metrics.js';

const EVERY_MS = 1_000;
/** Different reads of one event. */
const MAX_READS = 200;
const MAX_RESOURCE_CHARACTERS = 500;
/** Different reads that wait while the log takes none. */
const MAX_WAITING = 20_000;
/** Size of an entry, about. */
const READ_BYTES = 3 * (MAX_RESOURCE_CHARACTERS + 200);

interface OneRead extends Omit<ContentRead, 'count'> {
  readonly workspaceId: string;
}

interface Batch {
  readonly from: Date;
  until: Date;
  readonly reads: Map<string, { -readonly [Field in keyof ContentRead]: ContentRead[Field] }>;
}

/** An event that the log has not acknowledged; repeated as it was, it is stored once. */
interface Unstored {
  readonly data: ContentsRead['data'];
  readonly append: () => Promise<void>;
}

interface Parts {
  readonly eventStore: Ports['eventStore'];
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics?: Pick<Metrics, 'readsUnrecorded'> | null | undefined;
}

/**
 * Records who read contents, for each workspace at most once a second and as the API closes. No read waits for it.
 * Records that the log does not accept are retried with the next; those that do not fit in memory, or remain at the
 * end, are counted and logged.
 */
export class ContentReads {
  private readonly writer = uuid7();
  private readonly appenders = new Map<string, StreamAppender>();
  private readonly batches = new Map<string, Batch>();
  private unstored: Unstored[] = [];
  private waiting = 0;
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<void> = Promise.resolve();
  private lost = 0;

  constructor(
    private readonly parts: Parts,
    private readonly everyMs = EVERY_MS,
  ) {}

  add({ workspaceId, actor, resource, route }: OneRead): void {
    const now = new Date();
    const named = resource.slice(0, MAX_RESOURCE_CHARACTERS);
    const key = JSON.stringify([actor, named, route]);
    let batch = this.batches.get(workspaceId);
    const known = batch?.reads.get(key);
    if (!known && this.waiting >= MAX_WAITING) {
      this.lost += 1;
      return;
    }
    if (!batch) this.batches.set(workspaceId, (batch = { from: now, until: now, reads: new Map() }));
    batch.until = now;
    if (known) known.count += 1;
    else {
      batch.reads.set(key, { actor, resource: named, route, count: 1 });
      this.waiting += 1;
      if (batch.reads.size === MAX_READS) this.close(workspaceId, batch);
    }
    this.timer ??= setTimeout(() => void this.flush(), this.everyMs).unref();
  }

  /** Resolves once the log has accepted or refused the reads so far. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.store());
    return this.flushing;
  }

  /** Retries once, and counts the losses. */
  async stop(): Promise<void> {
    await this.flush();
    if (this.timer) clearTimeout(this.timer);
    for (const { data } of this.unstored) this.lost += countOf(data);
    this.unstored = [];
    this.sayLost();
  }

  private async store(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    for (const [workspaceId, batch] of this.batches) this.close(workspaceId, batch);
    const trying = this.unstored;
    const stored = await Promise.allSettled(trying.map(({ append }) => append()));
    const left = trying.filter((_, at) => stored[at]!.status === 'rejected');
    this.unstored = [...left, ...this.unstored.slice(trying.length)];
    this.waiting = [...this.batches.values()].reduce((sum, { reads }) => sum + reads.size, 0);
    for (const { data } of this.unstored) this.waiting += data.reads.length;
    this.sayLost();
    if (this.unstored.length > 0) this.timer ??= setTimeout(() => void this.flush(), this.everyMs).unref();
  }

  /** Makes an event of a batch. */
  private close(workspaceId: string, { from, until, reads }: Batch): void {
    this.batches.delete(workspaceId);
    const [since, to] = [from.toISOString(), until.toISOString()];
    const data: ContentsRead['data'] = { workspaceId, from: since, until: to, reads: [...reads.values()] };
    const day = to.slice(0, 10);
    const stream = `access-${workspaceId}-${day}-${this.writer}`;
    const context = { ...systemContext('api', workspaceId), now: to };
    const event = envelope(stream, { type: 'contents-read.v1', data }, 0, context);
    const bytes = data.reads.length * READ_BYTES;
    const appender = this.appenderOf(stream, day);
    this.unstored.push({ data, append: () => appender.append({ events: [event], bytes }) });
  }

  /** Forgets the streams of earlier days. */
  private appenderOf(stream: string, day: string): StreamAppender {
    let appender = this.appenders.get(stream);
    if (!appender) {
      for (const [other, { idle }] of this.appenders) if (idle && !other.includes(day)) this.appenders.delete(other);
      this.appenders.set(stream, (appender = new StreamAppender(this.parts.eventStore, stream)));
    }
    return appender;
  }

  private sayLost(): void {
    if (this.lost === 0) return;
    this.parts.metrics?.readsUnrecorded(this.lost);
    this.parts.logger.warn({ event: 'reads-unrecorded' }, `${this.lost} reads of contents could not be recorded`);
    this.lost = 0;
  }
}

const countOf = ({ reads }: ContentsRead['data']): number => reads.reduce((sum, { count }) => sum + count, 0);
