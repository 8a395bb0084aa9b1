import type { Bus, CallHandler } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';
import { ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';
import { AdapterCache, DamagedWeightsError } from './adapter-cache.js';
import { AdapterLoading } from './adapter-loading.js';
import { InferencePool } from './inference-pool.js';
import type { Engines } from '../contract/engines.js';
import type { RegisteredEngine } from '../engine/registered-engine.js';
import { isDamagedCache } from './cached-on-disk.js';
import { inferenceError, isInferenceError } from '../contract/inference-errors.js';
import { FailedModels } from './failed-models.js';
import {
  EMBED_SUBJECT,
  INFERENCE_FORGET,
  INFERENCE_HEARTBEAT,
  INFERENCE_HEARTBEAT_MS,
  INFERENCE_SUBJECT,
  inferenceSubjectOf,
  type AdapterReference,
  type EmbedCall,
  type ForgetModel,
  type InferenceCall,
  type InferenceHeartbeat,
  type ModelReference,
} from '../contract/inference.js';

interface InferenceServerOptions {
  readonly bus: Bus;
  /** The runner's; never used by two runners at once, and best the same at each start: its adapters are on its disk. */
  readonly name: string;
  readonly objectStore: ObjectStore;
  /** Folder of the adapters on local disk. */
  readonly cacheDirectory: string;
  readonly engines: Engines<RegisteredEngine>;
  /** Adapters in memory, for each thread. */
  readonly mostAdapterBytes?: number;
  /** Adapters on local disk. */
  readonly mostCachedBytes?: number;
  readonly loadPatienceMs?: number;
  /** Called with a line for the operator: which model's files are damaged, and what is done about it. Default: stderr. */
  readonly onDamage?: (line: string) => void;
}

export interface InferenceServer {
  close(): Promise<void>;
}

const MAX_ADAPTER_BYTES = 256 * 1024 * 1024;
/** Milliseconds that a call waits for a missing adapter; some megabytes arrive within milliseconds. */
const LOAD_PATIENCE_MS = 2_000;
/** Interval of checks whether the kept weights still exist, which finds deletions signalled during an outage. */
const SWEEP_MS = 10 * 60_000;
/** A heartbeat tells of so many adapters at most. */
const MAX_TOLD = 100;

/**
 * Serves inference calls from the bus, those for any runner and those for this one: fetches adapters, keeps models in threads,
 * runs them. Says every second that it is there, what it has loaded, and what it could not load. Lets go of what was deleted.
 */
export function serveInference(options: InferenceServerOptions): InferenceServer {
  const { bus, name, objectStore, engines, onDamage = (line) => console.error(line) } = options;
  const cache = new AdapterCache({
    objectStore,
    directory: options.cacheDirectory,
    ...(options.mostCachedBytes !== undefined && { mostBytes: options.mostCachedBytes }),
  });
  const pool = new InferencePool({ mostAdapterBytes: options.mostAdapterBytes ?? MAX_ADAPTER_BYTES });
  const baseOf = ({ baseModelId }: ModelReference) => {
    const found = engines.baseModel(baseModelId);
    if (!found) throw notServable(`this runner has no base model ${baseModelId}`);
    return { engine: found.engine.module, baseDirectory: found.model.directory };
  };
  const failed = new FailedModels(MAX_TOLD, () => beat(false));
  const beat = (leaving: boolean) => {
    const heartbeat: InferenceHeartbeat = {
      ...{ name, leaving },
      loading: loading.ids().slice(0, MAX_TOLD),
      loaded: cache
        .ids()
        .filter((id) => !failed.has(id))
        .slice(0, MAX_TOLD),
      failed: failed.ids(),
    };
    bus.signal(INFERENCE_HEARTBEAT, heartbeat);
  };
  const loading = new AdapterLoading({
    load: (adapter, onBytes) =>
      cache.fetch(adapter, onBytes).catch((error: unknown) => {
        // No call may be waiting any more that would be told.
        if (isNotServable(loadError(error, adapter))) failed.add(adapter.id);
        throw error;
      }),
    patienceMs: options.loadPatienceMs ?? LOAD_PATIENCE_MS,
    onChange: () => beat(false),
  });

  const run: CallHandler = async (body, { signal }) => {
    const call = body as unknown as InferenceCall;
    const { adapter } = call.model;
    if (adapter === null) return runModel(call, signal);
    try {
      return await runModel(call, signal);
    } catch (error) {
      if (isNotServable(error)) failed.add(adapter.id);
      throw error;
    }
  };
  const runModel = async (
    { workspaceId, model, texts, schema, threshold }: InferenceCall,
    signal: AbortSignal,
  ): Promise<Json> => {
    const base = baseOf(model);
    const { adapter } = model;
    const runOn = (adapterDirectory: string | null) =>
      pool.run({ ...base, workspaceId, adapterDirectory, texts, schema, threshold }, signal);
    if (adapter === null) return (await runOn(null)) as unknown as Json;
    const runCached = async () => {
      const retryAfterMs = cache.has(adapter) ? null : await loading.wait(adapter);
      if (retryAfterMs !== null) return { retryAfterMs };
      const answer = await cache.use(adapter, runOn);
      failed.recover(adapter.id);
      return answer as unknown as Json;
    };
    try {
      return await runCached().catch((error: unknown) => {
        if (!isDamagedCache(error)) throw error;
        onDamage(`model ${adapter.id}: ${(error as Error).message}; it is fetched again from the object store`);
        return runCached();
      });
    } catch (error) {
      if (error instanceof DamagedWeightsError) onDamage(`model ${adapter.id}: ${error.message}`);
      throw loadError(error, adapter);
    }
  };
  const embed: CallHandler = async (body, { signal }) => {
    const call = body as unknown as EmbedCall;
    const found = engines.embedder(call.modelId);
    if (!found) throw notServable(`this runner has no embedder ${call.modelId}`);
    const { module: engine } = found.engine;
    const { directory } = found.model;
    return (await pool.embed({ ...call, engine, directory }, signal)) as unknown as Json;
  };
  const forget = async (removed: Promise<readonly string[]>) => {
    for (const directory of await removed) await pool.forget(directory);
  };
  // A failure is retried at the next sweep.
  const sweep = () => void forget(cache.sweep()).catch(() => undefined);
  const subscriptions = [
    ...[INFERENCE_SUBJECT, inferenceSubjectOf(name)].map((subject) => bus.serve(subject, run)),
    bus.serve(EMBED_SUBJECT, embed),
    bus.listen(INFERENCE_FORGET, (body) => {
      const { id } = body as ForgetModel;
      failed.recover(id);
      void forget(cache.forget(id)).catch(() => undefined);
    }),
  ];
  const timers = [setInterval(() => beat(false), INFERENCE_HEARTBEAT_MS), setInterval(sweep, SWEEP_MS)];
  beat(false);
  sweep();

  return {
    async close() {
      timers.forEach((timer) => clearInterval(timer));
      beat(true);
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await pool.close();
    },
  };
}

function loadError(error: unknown, { id }: AdapterReference): unknown {
  if (error instanceof DamagedWeightsError)
    return notServable(
      `the weights of ${id} cannot be loaded: ${error.message}; restore the object store from a backup`,
    );
  const isOfDisk = (error as NodeJS.ErrnoException).syscall !== undefined || isDamagedCache(error);
  if (error instanceof ObjectStoreUnavailableError || isOfDisk)
    return inferenceError('unavailable', {}, `the weights of ${id} cannot be ${isOfDisk ? 'kept' : 'fetched'} now`);
  return error;
}

const isNotServable = (error: unknown): boolean => isInferenceError(error) && error.code === 'not_servable';
const notServable = (message: string): Error => inferenceError('not_servable', {}, message);
