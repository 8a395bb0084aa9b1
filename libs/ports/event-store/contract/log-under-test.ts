import { randomUUID } from 'node:crypto';
import { isLogCreated } from '../log-created.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  type EventStore,
  type EventToAppend,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../port.js';

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Closes the store and removes its data. */
  readonly cleanup: () => Promise<void>;
}

/** Promises of an adapter beyond the port's minimum, and the kind of log that the suite gets. */
export interface LogTraits {
  /**
   * `removed`: a deleted stream's events are gone and its name is as new. `left`: they may be read until the store
   * reclaims their space, and the name's revisions continue.
   */
  readonly deletedEvents: 'removed' | 'left';
  /** `new`: each specification has its own log. `shared`: the log has other events, which may arrive at any time. */
  readonly log: 'new' | 'shared';
}

/** A store for each specification, restricted to events since it was opened. */
export class LogUnderTest {
  private opened: OpenedEventStore | null = null;
  /** The log's head when it was opened; null if the log is new. */
  start: Position | null = null;

  constructor(
    open: () => Promise<OpenedEventStore>,
    readonly traits: LogTraits,
  ) {
    beforeEach(async () => {
      this.opened = await open();
      this.start = traits.log === 'new' ? null : (await this.store.head()).position;
    });
    afterEach(() => this.opened?.cleanup());
  }

  get store(): EventStore {
    return this.opened!.store;
  }

  readStream(name: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return Array.fromAsync(this.store.readStream(name, options));
  }

  /** Leaves out the log's own event and events from before this log was opened. */
  async readAll(options: ReadAllOptions = {}): Promise<readonly RecordedEvent[]> {
    const { start } = this;
    const read: RecordedEvent[] = [];
    const after = options.direction === 'backwards' ? {} : { after: start };
    for await (const event of this.store.readAll({ ...after, ...options })) {
      if (start !== null && event.position <= start) break;
      if (!isLogCreated(event)) read.push(event);
    }
    return read;
  }
}

export const streamOf = (category: string): string => `${category}-${randomUUID()}`;
export const aStream = (): string => streamOf('thing');

export function event(fields: Partial<EventToAppend> = {}): EventToAppend {
  const commandId = randomUUID();
  return {
    id: randomUUID(),
    type: 'happened.v1',
    data: { what: 'something' },
    metadata: {
      workspaceId: randomUUID(),
      actor: `user:${randomUUID()}`,
      correlationId: commandId,
      causationId: commandId,
      commandId,
      occurredAt: '2030-01-02T03:04:05.678Z',
    },
    ...fields,
  };
}

export const events = (count: number): readonly EventToAppend[] => Array.from({ length: count }, () => event());

/** The events of some messages, without the log's own. */
export const eventsIn = (messages: readonly SubscriptionMessage[]): readonly RecordedEvent[] =>
  messages
    .flatMap((message) => (message.kind === 'events' ? message.events : []))
    .filter((given) => !isLogCreated(given));

/** Matches a message that reports all events up to a position as delivered. */
export const reached = (position: Position) => (message: SubscriptionMessage) =>
  (message.kind === 'events' && message.events.at(-1)!.position >= position) ||
  (message.kind === 'checkpoint' && message.position >= position);

/** A subscription that is read up to a message that must come; ended when it goes out of scope. */
export function subscribed(
  store: Pick<EventStore, 'subscribe'>,
  options: Omit<SubscribeOptions, 'signal'> & { signal?: AbortSignal },
) {
  const abort = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal;
  const iterable = store.subscribe({ ...options, signal });
  const messages = iterable[Symbol.asyncIterator]() as AsyncIterator<SubscriptionMessage, undefined>;
  return {
    /** Messages up to the first that matches, inclusive. */
    async until(wanted: (message: SubscriptionMessage) => boolean): Promise<readonly SubscriptionMessage[]> {
      const seen: SubscriptionMessage[] = [];
      for (;;) {
        const step = await messages.next();
        if (step.done) throw new Error(`the subscription ended after ${JSON.stringify(seen.map(({ kind }) => kind))}`);
        const message = step.value;
        seen.push(message);
        if (wanted(message)) return seen;
      }
    },
    /** Messages until the subscription ends. */
    rest: (): Promise<readonly SubscriptionMessage[]> => Array.fromAsync({ [Symbol.asyncIterator]: () => messages }),
    async [Symbol.asyncDispose](): Promise<void> {
      abort.abort();
      await messages.return?.();
    },
  };
}

/** Appends as callers of the port do: repeats the append until its outcome is definite. */
export async function appendDefinitely(store: EventStore, ...append: Parameters<EventStore['append']>) {
  for (;;) {
    try {
      return await store.append(...append);
    } catch (error) {
      const open = error instanceof AppendOutcomeUnknownError || error instanceof EventStoreUnavailableError;
      if (!open) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
