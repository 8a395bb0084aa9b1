import { setTimeout as sleep } from 'node:timers/promises';
import {
  DiscardPolicy,
  AckPolicy,
  nanos,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type NatsError,
} from 'nats';
import type { Json } from '#domain/json.js';
import { BusFullError, BusUnavailableError } from '../port.js';
import { NOBODY_THERE, type BusConnection } from './connection.js';
import type { Subjects } from './subjects.js';

export interface OfferOptions {
  /** Maximum number of messages that wait on one subject. */
  readonly maxWaiting: number;
  /** An id offered again within this time is not delivered again. */
  readonly rememberIdsMs: number;
  /**
   * Milliseconds after which an unacknowledged message goes to another taker. Longer than any handler: the longest, a
   * runner's, ends with its claim, which is tried three times for 10 s.
   */
  readonly ackWaitMs: number;
  readonly offerDeadlineMs: number;
  readonly replicas: number;
}

/** Ids only; with its headers a message stays far below this. */
const MAX_BYTES = 64 * 1024;
const TRY_MS = 2_000;
const API_MS = 5_000;
/** https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const STREAM_STORE_FAILED = 10077;
const STREAM_NOT_FOUND = 10059;
const CONSUMER_EXISTS = new Set([10105, 10148]);

/**
 * Offers wait in one work-queue stream with a durable consumer per subject. Stream and consumers are created again
 * whenever they are missing: losing them loses only hints.
 */
export class Offers {
  private ensuring: Promise<void> | null = null;

  constructor(
    private readonly connection: BusConnection,
    private readonly subjects: Subjects,
    private readonly options: OfferOptions,
  ) {}

  /** Repeated with the same id until the stream has stored it, which it does once. */
  async offer(subject: string, id: string, body: Json): Promise<void> {
    const to = this.subjects.offer(subject);
    const data = Buffer.from(JSON.stringify(body));
    if (data.length > MAX_BYTES)
      throw new RangeError(`an offer on ${subject} has ${data.length} bytes; offer ids only`);
    // Ids are remembered by stream, not by subject.
    const options = { msgID: `${subject}/${id}`, expect: { streamName: this.subjects.stream } };
    const jetStream = this.connection.client.jetstream();
    const until = performance.now() + this.options.offerDeadlineMs;
    let cause: unknown = new Error('there is no connection');
    for (let wait = 50; performance.now() < until; wait *= 2) {
      if (!(await this.connection.whenConnected(until - performance.now()))) break;
      try {
        const timeout = Math.max(1, Math.min(TRY_MS, until - performance.now()));
        await this.connection.whileConnected(jetStream.publish(to, data, { ...options, timeout }));
        return;
      } catch (error) {
        if (isFull(error)) throw this.full(subject, error);
        cause = error;
        if (isMissing(error)) await this.ensureStream().catch((failed: unknown) => (cause = failed));
      }
      await sleep(Math.max(0, Math.min(wait, until - performance.now())));
    }
    const problem = `${subject} was not taken by NATS within ${this.options.offerDeadlineMs} ms`;
    throw new BusUnavailableError(`${problem} (${describe(cause)})`, { cause });
  }

  /** Concurrent callers share one attempt. */
  ensureStream(): Promise<void> {
    this.ensuring ??= this.connection.whileConnected(this.makeStream()).finally(() => (this.ensuring = null));
    return this.ensuring;
  }

  /** Creates the stream too. */
  ensureConsumer(subject: string): Promise<void> {
    return this.connection.whileConnected(this.makeConsumer(subject));
  }

  private async makeConsumer(subject: string): Promise<void> {
    const manager = await this.manager();
    const durable_name = this.subjects.consumer(subject);
    const config = {
      durable_name,
      filter_subject: this.subjects.offer(subject),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(this.options.ackWaitMs),
      // Unlimited, so that refused messages do not block others.
      max_ack_pending: -1,
      max_waiting: 8_192,
    };
    try {
      await manager.consumers.add(this.subjects.stream, config);
    } catch (error) {
      const code = apiCode(error);
      if (code === STREAM_NOT_FOUND) {
        await this.ensureStream();
        await manager.consumers.add(this.subjects.stream, config);
      } else if (code !== undefined && CONSUMER_EXISTS.has(code))
        await manager.consumers.update(this.subjects.stream, durable_name, config);
      else throw error;
    }
  }

  private async makeStream(): Promise<void> {
    const manager = await this.manager();
    const name = this.subjects.stream;
    const changeable = {
      subjects: [this.subjects.offers],
      max_msgs_per_subject: this.options.maxWaiting,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      duplicate_window: nanos(this.options.rememberIdsMs),
      max_msg_size: 2 * MAX_BYTES,
      num_replicas: this.options.replicas,
    };
    const isThere = await manager.streams.info(name).then(
      () => true,
      (error: unknown) => {
        if (apiCode(error) === STREAM_NOT_FOUND) return false;
        throw error;
      },
    );
    if (isThere) await manager.streams.update(name, changeable);
    else
      await manager.streams.add({
        ...changeable,
        name,
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
      });
  }

  private manager(): Promise<JetStreamManager> {
    return this.connection.client.jetstreamManager({ checkAPI: false, timeout: API_MS });
  }

  private full(subject: string, cause: unknown): BusFullError {
    const { maxWaiting } = this.options;
    return new BusFullError(`${maxWaiting} messages wait on ${subject} already; offer it again later`, { cause });
  }
}

const apiCode = (error: unknown): number | undefined => (error as NatsError).api_error?.err_code;

/** No stream accepts the subject. JetStream uses the same code for other errors, with a longer message. */
const isMissing = (error: unknown): boolean =>
  (error as NatsError).code === NOBODY_THERE && apiCode(error) === undefined;

const describe = (error: unknown): string => (error as NatsError).api_error?.description ?? (error as Error).message;

const isFull = (error: unknown): boolean =>
  apiCode(error) === STREAM_STORE_FAILED && /maximum messages/.test((error as NatsError).api_error?.description ?? '');
