import { unlessAborted } from '#primitives/waiting/unless-aborted.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { ModelReference } from '#gpu-runner/contract/inference.js';
import type {
  DecoderServer,
  GenerateRequest,
  LoadedDecoder,
  OpenDecoderServer,
  TakesRequest,
} from '#gpu-runner/engines/decoder-engine.js';
import type { ProcessModel } from '#gpu-runner/engines/process-model.js';
import type { EncoderEngine, LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { endsWithin } from '../adapters/adapter-loading.js';
import { notServable, type Adapters } from '../adapters/adapters.js';
import { asAnswered } from '../serving/answered-errors.js';
import { checkCachedInTurns } from '../adapters/cached-on-disk.js';
import { ProcessModelCache, type ModelLease } from './process-model-cache.js';

/** The exports of an engine's module: those of the kinds of models that it has. */
interface EngineModule {
  readonly decoders?: DecoderServer;
  readonly encoders?: EncoderEngine;
  readonly takes?: TakesRequest;
}

/** A model that a call runs on, and the engine that has it. */
export type EngineLease<Model extends ProcessModel> = ModelLease<Model> & { readonly engine: NamedEngine };
type NamedEngine = Pick<RegisteredEngine, 'name' | 'version'>;

interface LoadedOf {
  readonly decoders: LoadedDecoder;
  readonly encoders: LoadedEncoder;
}

/** The time when a model will be in memory. */
interface Later {
  readonly retryAfterMs: number;
}

export const MAX_PROCESS_ADAPTER_BYTES = 1024 ** 3;
/** Milliseconds that a call waits for its model to be read into memory; a base has gigabytes. */
const LOAD_PATIENCE_MS = 30_000;
/** Pause before the next request for a model that takes longer. */
const RETRY_MS = 10_000;

/** The models of a runner that run in processes of their engines, leased to calls. Loads the module of an engine when it is first needed. */
export class ProcessModels {
  private readonly cache: ProcessModelCache;
  private readonly modules = new Map<string, Promise<EngineModule>>();

  constructor(
    private readonly engines: Engines<RegisteredEngine>,
    private readonly adapters: Adapters,
    /** The runner's name. */
    private readonly name: string,
    maxAdapterBytes: number,
    private readonly loadPatienceMs = LOAD_PATIENCE_MS,
  ) {
    this.cache = new ProcessModelCache(maxAdapterBytes, checkCachedInTurns);
  }

  /**
   * A model that is in memory until it is released; or, if that takes long, when to retry. Where a server generates for an engine,
   * the request decides which of the two has it.
   * @throws InferenceError it is not here, cannot be loaded, or its engine's process is lost
   * @throws the signal's reason once it is aborted
   */
  async lease<Kind extends keyof LoadedOf>(
    kind: Kind,
    model: ModelReference,
    signal: AbortSignal,
    request: GenerateRequest | null = null,
  ): Promise<EngineLease<LoadedOf[Kind]> | Later> {
    const leasing = this.leaseOf(kind, model, request);
    return unlessAborted(leasing, signal).catch((error: unknown) => {
      releaseLate(leasing);
      throw error;
    });
  }

  /** Number of models that are in memory or being read into it. */
  get size(): number {
    return this.cache.size;
  }

  /** Drops the adapter in this folder. */
  forget(adapterDirectory: string): void {
    this.cache.forget(adapterDirectory);
  }

  /** Ends every model and every process. */
  async close(): Promise<void> {
    await this.cache.close();
    const modules = await Promise.allSettled(this.modules.values());
    const engines = modules.flatMap((module) =>
      module.status === 'fulfilled' ? [module.value.decoders, module.value.encoders] : [],
    );
    await Promise.allSettled(engines.map(async (engine) => engine?.close()));
  }

  private async leaseOf<Kind extends keyof LoadedOf>(
    kind: Kind,
    { baseModelId, adapter }: ModelReference,
    request: GenerateRequest | null,
  ): Promise<EngineLease<LoadedOf[Kind]> | Later> {
    const { engine: registered, model } = this.engines.baseModel(baseModelId)!;
    const { module, named } = await this.chosen(registered, baseModelId, request);
    const engine = module[kind] as { load(base: string, adapter: string | null): Promise<LoadedOf[Kind]> } | undefined;
    if (!engine) throw notServable(`engine ${registered.name} of this runner has no ${kind}`);
    const leased = async (adapterDirectory: string | null): Promise<EngineLease<LoadedOf[Kind]> | Later> => {
      const leasing = this.cache.lease(engine, model.directory, adapterDirectory).catch((error: unknown) => {
        throw asAnswered(error);
      });
      if (await endsWithin(leasing, this.loadPatienceMs)) return { ...(await leasing), engine: named };
      // The load continues, for the client's next try.
      releaseLate(leasing);
      return { retryAfterMs: RETRY_MS };
    };
    return adapter === null ? leased(null) : this.adapters.use(adapter, leased);
  }

  /** The server of the base model, if it has one that takes the request, or else the engine. */
  private async chosen(
    { module: own, name, version, servers }: RegisteredEngine,
    baseModelId: string,
    request: GenerateRequest | null,
  ): Promise<{ readonly module: EngineModule; readonly named: NamedEngine }> {
    const named = { name, version };
    const server = servers?.get(baseModelId);
    const module = server && (await this.moduleAt(server.module, (url) => serving(url, this.name)));
    if (module && (request === null || (module.takes?.(request, server.features ?? []) ?? true)))
      return { module, named: server.engine ?? named };
    return { module: await this.moduleAt(own, (url) => import(url) as Promise<EngineModule>), named };
  }

  private moduleAt(url: string, open: (url: string) => Promise<EngineModule>): Promise<EngineModule> {
    let module = this.modules.get(url);
    if (!module) this.modules.set(url, (module = open(url)));
    return module;
  }
}

/** A server that generates instead of an engine. */
async function serving(url: string, runner: string): Promise<EngineModule> {
  const { serve, takes } = (await import(url)) as { readonly serve: OpenDecoderServer; readonly takes?: TakesRequest };
  return { decoders: serve(runner), ...(takes && { takes }) };
}

/** Releases a lease that no call waits for, once it is granted. */
const releaseLate = (leasing: Promise<{ release(): void } | Later>): void =>
  void leasing.then(
    (late) => 'release' in late && late.release(),
    () => undefined,
  );
