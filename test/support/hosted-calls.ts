import type { Account } from '#application/accounts/index.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reservation } from '#application/billing/index.js';
import {
  catalogModel,
  Decoders,
  HostedDecoders,
  Lifecycle,
  type DecoderCall,
  type DecoderSource,
} from '#calls/index.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import { ThoughtsBook } from '#calls/signed-thoughts.js';
import type { Coordination } from '#ports/coordination/port.js';
import type { EventStore } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { joined } from '#ports/event-store/wrappers.js';
import {
  NO_USAGE,
  textMessage,
  type GenerateOptions,
  type GenerationEvent,
  type GenerationRequest,
  type HostedModels,
} from '#calls/hosted/port.js';
import { ofEachKind } from '#domain/inference/index.js';
import type { CatalogEntry } from '#models/catalog/catalog.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';

/** $2 in, $8 out, cache reads 0.2 and writes 2.5. */
export const ENTRY = {
  ...{ id: 'acme/chat', task_type: 'decoder', supports_inference: true, provider: { name: 'acme', model: 'chat' } },
  ...ofEachKind('price', () => 0),
  ...{ input_price_per_million: 2, output_price_per_million: 8, context_window: 8_192 },
  ...{ cache_read_price_per_million: 0.2, cache_write_price_per_million: 2.5 },
} as unknown as CatalogEntry;

export const CALL: DecoderCall = {
  caller: { kind: 'key', userId: 'u', teamId: 't', workspaceId: 'w', keyId: 'k' },
  correlationId: 'r',
  generation: { messages: [textMessage('user', 'x'.repeat(300))], maxTokens: 10 },
  input: () => ({}),
  store: true,
  projectId: null,
  format: 'native',
};
/** 100 tokens of 300 bytes, and 8 for the message, at 2 millionths of a dollar. */
export const ESTIMATED_INPUT = 108n * 2_000_000n;

export const text = (said: string): GenerationEvent => ({ type: 'text', part: 0, text: said });
export const usage: GenerationEvent = {
  type: 'usage',
  usage: { ...NO_USAGE, inputTokens: 100, outputTokens: 4 },
};
export const finish: GenerationEvent = { type: 'finish', reason: 'stop' };

/** Calls of one hosted decoder that does what a test says, recorded in a log of their own, which holds no openings. */
export class HostedCallsBench {
  /** The provider's behaviour. Events arrive one per batch. */
  generate: (options: GenerateOptions) => AsyncIterable<GenerationEvent> = () => {
    throw new Error('nobody said what the provider does');
  };
  /** The last request to the provider. */
  asked: GenerationRequest | null = null;
  /** Reservations in picodollars. */
  readonly reserved: bigint[] = [];
  /** Ends of the reservations. */
  readonly ended: string[] = [];
  /** Whether credits pay for calls. */
  enforced = true;

  private constructor(
    private readonly directory: string,
    readonly store: EventStore & { close(): Promise<void> },
  ) {}

  static async open(): Promise<HostedCallsBench> {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-calls-'));
    const store = await openSqliteEventStore({ directory, durability: 'normal' });
    return new HostedCallsBench(directory, joined(store, store));
  }

  async close(): Promise<void> {
    await this.store.close();
    await rm(this.directory, { recursive: true });
  }

  calls(eventStore: EventStore = this.store): Decoders {
    const hosted: HostedModels = {
      has: (name) => name === 'acme',
      verifiesThoughts: () => false,
      takesTokenIds: () => true,
      generate: (_model, request, options = {}) => {
        this.asked = request;
        return oneByOne(this.generate(options));
      },
      embed: () => Promise.reject(new Error('not asked for')),
      countTokens: async () => null,
      close: async () => undefined,
    };
    const coordination = { compareAndSet: async () => null, get: async () => null } as unknown as Coordination;
    const recorder = new CallRecorder({ eventStore, objectStore: {} as ObjectStore, coordination }, () => 'mac');
    const admit = ({ worstCase }: { worstCase: bigint }): Reservation => {
      this.reserved.push(worstCase);
      return {
        chargedTo: this.enforced ? 'month/holder' : null,
        settle: (cost) => void this.ended.push(`settled ${cost}`),
        release: () => void this.ended.push('released'),
      };
    };
    const catalog = { resolve: (_caller: unknown, id: string) => (id === ENTRY.id ? ENTRY : null) };
    const thoughts = new ThoughtsBook({ get: async () => null } as unknown as ReadStoreQueries);
    const accounts = { of: () => ({ limits: new Map() }) as unknown as Account };
    return new Decoders({
      ...{
        catalog,
        lifecycle: new Lifecycle(recorder, { admit }),
        hosted: new HostedDecoders({ hosted, accounts, thoughts }),
      },
      engines: {} as DecoderSource,
    });
  }

  start(more: Partial<DecoderCall> = {}, eventStore?: EventStore) {
    return this.calls(eventStore).start(catalogModel(ENTRY.id, ENTRY), { ...CALL, ...more });
  }

  run(more: Partial<DecoderCall> = {}, eventStore?: EventStore, served = ENTRY) {
    return this.calls(eventStore).run(catalogModel(served.id, served), { ...CALL, ...more });
  }

  /** The events of calls, and of their contents. */
  async log() {
    const events = await Array.fromAsync(this.store.readAll({ filter: { categories: ['metered', 'content'] } }));
    return events.map(({ type, data }) => ({ type, ...data }));
  }

  /** The first of a type. */
  async one(type: string) {
    return (await this.log()).find((event) => event['type'] === type)!;
  }

  /** The same log, but for what it does with appends. */
  withAppend(append: (...args: Parameters<EventStore['append']>) => ReturnType<EventStore['append']>): EventStore {
    return Object.assign(Object.create(this.store) as EventStore, { append });
  }
}

async function* oneByOne(events: AsyncIterable<GenerationEvent>) {
  for await (const event of events) yield [event];
}
