import { ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';
import { inferenceError, isInferenceError } from '#gpu-runner/contract/inference-errors.js';
import type { AdapterReference, InferenceHeartbeat, ServingFigures } from '#gpu-runner/contract/inference.js';
import { AdapterCache, DamagedWeightsError } from './adapter-cache.js';
import { AdapterLoading } from './adapter-loading.js';
import { isDamagedCache } from './cached-on-disk.js';
import { FailedModels } from './failed-models.js';

interface AdaptersOptions {
  readonly objectStore: ObjectStore;
  /** Folder of the adapters on local disk. */
  readonly cacheDirectory: string;
  readonly maxCachedBytes?: number | undefined;
  readonly loadPatienceMs?: number | undefined;
  /** Called with a line for the operator: the model with damaged files, and the remedy. */
  readonly onDamage: (line: string) => void;
  /** Called when a load of an adapter begins, ends or fails. */
  readonly onChange: () => void;
}

/** Milliseconds that a call waits for a missing adapter; some megabytes arrive within milliseconds. */
const LOAD_PATIENCE_MS = 2_000;
/** Maximum number of adapters in a heartbeat. */
const MAX_TOLD = 100;

/** The adapters of a runner: those on its disk, those being fetched, and those that could not be loaded. */
export class Adapters {
  private readonly cache: AdapterCache;
  private readonly loading: AdapterLoading;
  private readonly failed: FailedModels;

  constructor(private readonly options: AdaptersOptions) {
    const { objectStore, cacheDirectory: directory, maxCachedBytes: maxBytes, onDamage, onChange } = options;
    this.cache = new AdapterCache({
      ...{ objectStore, directory, ...(maxBytes !== undefined && { maxBytes }) },
      onDamage: ({ id }, { message }) => onDamage(`model ${id}: ${message}; it is fetched again from the object store`),
    });
    this.failed = new FailedModels(MAX_TOLD, onChange);
    this.loading = new AdapterLoading({
      load: (adapter, onBytes) =>
        this.cache.fetch(adapter, onBytes).catch((error: unknown) => {
          // No waiting call may be left to report it to.
          if (isNotServable(loadError(error, adapter))) this.failed.add(adapter.id);
          throw error;
        }),
      patienceMs: options.loadPatienceMs ?? LOAD_PATIENCE_MS,
      onChange,
    });
  }

  /** Adapters as a heartbeat reports them. */
  told(): Pick<InferenceHeartbeat, 'loading' | 'loaded' | 'failed'> {
    return {
      loading: this.loading.ids().slice(0, MAX_TOLD),
      loaded: this.cache
        .ids()
        .filter((id) => !this.failed.has(id))
        .slice(0, MAX_TOLD),
      failed: this.failed.ids(),
    };
  }

  /** Number of adapters in each state, and their bytes on disk. */
  figures(): Pick<ServingFigures, 'cachedBytes'> & { readonly models: Omit<ServingFigures['models'], 'in_process'> } {
    const models = {
      on_disk: this.cache.ids().length,
      loading: this.loading.ids().length,
      failed: this.failed.ids().length,
    };
    return { models, cachedBytes: this.cache.bytes };
  }

  /**
   * Runs a function on an adapter's local folder, which stays until then. A damaged folder is fetched once more.
   * @returns the result of `run`; or, if the folder is not ready soon, the estimated milliseconds until then
   * @throws InferenceError it cannot be fetched, kept or loaded; and what `run` throws
   */
  async use<T>(
    adapter: AdapterReference,
    run: (directory: string) => Promise<T>,
  ): Promise<T | { readonly retryAfterMs: number }> {
    try {
      return await this.runOn(adapter, run).catch((error: unknown) => {
        if (!isDamagedCache(error)) throw error;
        return this.runOn(adapter, run);
      });
    } catch (error) {
      if (error instanceof DamagedWeightsError) this.options.onDamage(`model ${adapter.id}: ${error.message}`);
      const answered = loadError(error, adapter);
      if (isNotServable(answered)) this.failed.add(adapter.id);
      throw answered;
    }
  }

  /**
   * Removes all local files of a deleted model.
   * @returns the removed folders
   */
  forget(id: string): Promise<readonly string[]> {
    this.failed.recover(id);
    return this.cache.forget(id);
  }

  /**
   * Removes adapters whose weights are no longer in the object store.
   * @returns the removed folders
   */
  sweep(): Promise<readonly string[]> {
    return this.cache.sweep();
  }

  private async runOn<T>(adapter: AdapterReference, run: (directory: string) => Promise<T>) {
    const retryAfterMs = this.cache.has(adapter) ? null : await this.loading.wait(adapter);
    if (retryAfterMs !== null) return { retryAfterMs };
    const answer = await this.cache.use(adapter, run);
    this.failed.recover(adapter.id);
    return answer;
  }
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
export const notServable = (message: string): Error => inferenceError('not_servable', {}, message);
