import type { Decider, DomainEvent } from '#domain/decider.js';
import type { RetentionBounds } from '#domain/retention/index.js';
import type { ApplicationReads } from './application-reads.js';
import { BriefCache, CHECKED_FOR_MS } from './accounts/brief-cache.js';
import type { RequestIdentity } from './caller.js';
import { Executor, type Executed } from '#log/execute.js';
import { sealingStore } from '#ports/event-store/sealing.js';
import { upcastingStore } from '#ports/event-store/upcasting.js';
import type { EventStore } from '#ports/event-store/port.js';
import type { ContentKeys } from '#ports/key-store/content-keys.js';
import { encryptedObjects, type NamedKeys } from '#ports/object-store/encrypted/index.js';
import type { CommandContext } from '#log/context.js';
import type { Ports } from './ports.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import { Storage } from './storage/storage.js';
import { Visibility } from '#log/visibility.js';
import { wholeAnswers } from '#log/whole-answers.js';

interface Deployment {
  /** Whether other processes also serve the API; this process then sees their changes with a delay. */
  readonly severalReplicas: boolean;
  /** Whether call contents and rows of datasets are stored encrypted; what is encrypted is read in any case. */
  readonly encryptsContents?: boolean;
  /** Default: `DEFAULT_BOUNDS`. */
  readonly retention?: RetentionBounds;
  /** The longest that a command waits until the read models show it, in milliseconds. Default: 500. */
  readonly visibleWithinMs?: number | undefined;
}

/** The ports and the one way to run a command, for every role that decides. */
export class Application implements ApplicationReads {
  /** The event store gives every event in its newest shape, the object store every object decrypted. */
  readonly ports: Ports;
  /** The same log with every event as it was stored: for audits. */
  readonly storedEvents: EventStore;
  /** The stored events, with call contents decrypted. */
  readonly openedEvents: EventStore;
  /** Keys of objects with rows; null: all are stored as they are. */
  readonly objectKeys: NamedKeys | null;
  readonly visibility: Visibility;
  /** Stored bytes and rows of workspaces, and their bounds. */
  readonly storage: Storage;
  private readonly executor: Executor;
  private readonly remembered: BriefCache<unknown>[] = [];

  constructor(
    ports: Ports,
    readonly deployment: Deployment = { severalReplicas: false },
    /** Keys of call contents; null: contents are not encrypted. */
    readonly contentKeys: ContentKeys | null = null,
    /** Runs work that nobody waits for. */
    readonly background: Background = UNREPORTED,
  ) {
    this.visibility = new Visibility(ports.bus, deployment.visibleWithinMs);
    this.storedEvents = ports.eventStore;
    this.openedEvents = contentKeys
      ? sealingStore(ports.eventStore, contentKeys, deployment.encryptsContents ?? false)
      : ports.eventStore;
    const eventStore = upcastingStore(this.openedEvents);
    this.objectKeys = contentKeys && {
      named: (name) => contentKeys.named(name),
      make: async (name) => (deployment.encryptsContents ? contentKeys.make(name) : null),
      destroyNamed: (name) => contentKeys.destroyNamed(name),
    };
    this.ports = {
      ...ports,
      eventStore,
      readStore: wholeAnswers(ports.readStore, this.visibility),
      objectStore: this.objectKeys ? encryptedObjects(ports.objectStore, this.objectKeys) : ports.objectStore,
    };
    this.executor = new Executor(eventStore);
    this.storage = new Storage(this);
  }

  /**
   * Runs a command and waits briefly until the named projections have seen its events.
   * @throws DomainError when the command is refused
   */
  async execute<Command, Event extends DomainEvent, State>(
    decider: Decider<Command, Event, State>,
    id: string,
    command: Command,
    context: CommandContext,
    visibleIn: readonly string[] = [],
  ): Promise<Executed<State>> {
    const executed = await this.executor.execute(decider, id, command, context);
    await this.visibility.wait(visibleIn, executed.position);
    return executed;
  }

  /** The present state of one stream, from the log itself. */
  load<Event extends DomainEvent, State>(decider: Decider<never, Event, State>, id: string): Promise<State> {
    return this.executor.load(decider, id);
  }

  /** The outcome of an earlier run of the same request; null when it left no event on this stream. */
  async recall<Event extends DomainEvent, State>(
    decider: Decider<never, Event, State>,
    id: string,
    { commandId, repeated }: RequestIdentity,
  ): Promise<State | null> {
    const recalled = repeated ? await this.executor.recall(decider, id, commandId) : null;
    return recalled && recalled.state;
  }

  /** A cache of checks (keys, accounts, limits) for as long as a replica may trust them. */
  remember<T>(check: (key: string) => Promise<T>): BriefCache<T> {
    const cache = new BriefCache(check, CHECKED_FOR_MS);
    this.remembered.push(cache);
    return cache;
  }

  /** Drops cached checks after a change, so that later requests are checked again. */
  forget(): void {
    for (const cache of this.remembered) cache.dropAll();
  }

  async close(): Promise<void> {
    await this.visibility.close();
  }
}
