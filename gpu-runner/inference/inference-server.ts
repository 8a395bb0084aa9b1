import type { Bus, CallHandler } from '#bus/port.js';
import type { Json } from '#domain/json.js';
import { ObjectNotFoundError, ObjectStoreUnavailableError, type ObjectStore } from '#object-store/port.js';
import { ArtifactError } from '../engine/engine.js';
import { AdapterCache } from './adapter-cache.js';
import { InferencePool } from './inference-pool.js';
import {
  INFERENCE_ERRORS,
  INFERENCE_HEARTBEAT,
  INFERENCE_HEARTBEAT_MS,
  INFERENCE_SUBJECT,
  inferenceSubjectOf,
  type AdapterReference,
  type InferenceCall,
  type InferenceHeartbeat,
} from './protocol.js';

export interface InferenceServerOptions {
  readonly bus: Bus;
  /** The runner's; never used by two runners at once, and best the same at each start: its adapters are on its disk. */
  readonly name: string;
  readonly objectStore: ObjectStore;
  /** Where adapters are kept on local disk. */
  readonly cacheDirectory: string;
  /** Base model id -> local folder. */
  readonly baseDirectories: ReadonlyMap<string, string>;
  readonly mostAdapterBytes?: number;
}

export interface InferenceServer {
  close(): Promise<void>;
}

const MOST_ADAPTER_BYTES = 256 * 1024 * 1024;

/**
 * Serves inference calls from the bus, those for any runner and those for this one: fetches adapters, keeps models in threads,
 * runs them. Says every second that it is there.
 */
export function serveInference(options: InferenceServerOptions): InferenceServer {
  const { bus, name } = options;
  const cache = new AdapterCache(options.objectStore, options.cacheDirectory);
  const pool = new InferencePool({ mostAdapterBytes: options.mostAdapterBytes ?? MOST_ADAPTER_BYTES });

  const run: CallHandler = async (body, { signal }) => {
    const { model, texts, schema, threshold } = body as unknown as InferenceCall;
    const baseDirectory = options.baseDirectories.get(model.baseModelId);
    if (baseDirectory === undefined) throw notServable(`this runner has no base model ${model.baseModelId}`);
    const adapterDirectory = model.adapter && (await fetched(cache, model.adapter));
    const part = { baseDirectory, adapterDirectory, texts, schema, threshold };
    return (await pool.run(part, signal)) as unknown as Json;
  };
  const subscriptions = [INFERENCE_SUBJECT, inferenceSubjectOf(name)].map((subject) => bus.serve(subject, run));
  const beat = (leaving: boolean) => {
    const heartbeat: InferenceHeartbeat = { name, leaving };
    bus.signal(INFERENCE_HEARTBEAT, heartbeat);
  };
  const heartbeats = setInterval(() => beat(false), INFERENCE_HEARTBEAT_MS);
  beat(false);

  return {
    async close() {
      clearInterval(heartbeats);
      beat(true);
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await pool.close();
    },
  };
}

async function fetched(cache: AdapterCache, { id, folder }: AdapterReference): Promise<string> {
  try {
    return await cache.fetch(folder);
  } catch (error) {
    if (error instanceof ObjectNotFoundError || error instanceof ArtifactError)
      throw notServable(`the weights of ${id} cannot be loaded: ${error.message}`);
    if (error instanceof ObjectStoreUnavailableError)
      throw Object.assign(new Error(`the weights of ${id} cannot be fetched now`), {
        code: INFERENCE_ERRORS.unavailable,
      });
    throw error;
  }
}

const notServable = (message: string): Error =>
  Object.assign(new Error(message), { code: INFERENCE_ERRORS.notServable });
