import type { Bus } from '#bus/port.js';
import type { Json } from '#domain/json.js';
import { ObjectNotFoundError, type ObjectStore } from '#object-store/port.js';
import { ArtifactError } from '../engine/engine.js';
import { AdapterCache } from './adapter-cache.js';
import { InferencePool } from './inference-pool.js';
import { INFERENCE_ERRORS, INFERENCE_SUBJECT, type AdapterReference, type InferenceCall } from './protocol.js';

export interface InferenceServerOptions {
  readonly bus: Bus;
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

/** Serves inference calls from the bus: fetches adapters, keeps models in threads, runs them. */
export function serveInference(options: InferenceServerOptions): InferenceServer {
  const cache = new AdapterCache(options.objectStore, options.cacheDirectory);
  const pool = new InferencePool({ mostAdapterBytes: options.mostAdapterBytes ?? MOST_ADAPTER_BYTES });

  const subscription = options.bus.serve(INFERENCE_SUBJECT, async (body, { signal }) => {
    const { model, texts, schema, threshold } = body as unknown as InferenceCall;
    const baseDirectory = options.baseDirectories.get(model.baseModelId);
    if (baseDirectory === undefined) throw notServable(`this runner has no base model ${model.baseModelId}`);
    const adapterDirectory = model.adapter && (await fetched(cache, model.adapter));
    const part = { baseDirectory, adapterDirectory, texts, schema, threshold };
    return (await pool.run(part, signal)) as unknown as Json;
  });

  return {
    async close() {
      await subscription.stop();
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
    throw error;
  }
}

const notServable = (message: string): Error =>
  Object.assign(new Error(message), { code: INFERENCE_ERRORS.notServable });
