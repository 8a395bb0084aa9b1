import type { AdapterReference } from '#gpu-runner/contract/inference.js';

interface AdapterLoadingOptions {
  /** Fetches and loads an adapter. Called with the number of further bytes received. */
  readonly load: (adapter: AdapterReference, onBytes: (count: number) => void) => Promise<unknown>;
  /** Milliseconds that a call waits for its adapter. */
  readonly patienceMs: number;
  /** Called when a load begins or ends. */
  readonly onChange: () => void;
  /** Milliseconds that only rise. */
  readonly clock?: () => number;
}

interface Load {
  readonly id: string;
  readonly bytes: number;
  readonly startedAt: number;
  readonly done: Promise<unknown>;
  loaded: number;
}

/** Minimum time before a load's speed is meaningful. */
const TELLING_MS = 250;
const SHORTEST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 120_000;

/**
 * Adapters being loaded. A call waits for one that will be ready soon; a longer load continues, and the call is told
 * when to retry: estimated from its own transfer rate, or from that of earlier loads before its first bytes.
 */
export class AdapterLoading {
  private readonly loads = new Map<string, Load>();
  /** Moving average over past loads; null before the first. */
  private bytesPerMs: number | null = null;
  private readonly clock: () => number;

  constructor(private readonly options: AdapterLoadingOptions) {
    this.clock = options.clock ?? (() => performance.now());
  }

  /** Ids of those being loaded. */
  ids(): readonly string[] {
    return [...new Set([...this.loads.values()].map(({ id }) => id))];
  }

  /**
   * @returns null when it is ready; else the estimated milliseconds until then
   * @throws what the load throws
   */
  async wait(adapter: AdapterReference): Promise<number | null> {
    const { patienceMs } = this.options;
    const load = this.loads.get(adapter.folder.objectPrefix) ?? this.begin(adapter);
    const expected = this.expectedMs(load);
    if (expected !== null && expected > patienceMs) return bounded(expected);
    return (await endsWithin(load.done, patienceMs)) ? null : bounded(this.expectedMs(load) ?? this.elapsed(load));
  }

  private begin(adapter: AdapterReference): Load {
    const key = adapter.folder.objectPrefix;
    const load: Load = {
      id: adapter.id,
      bytes: adapter.folder.files.reduce((sum, { size }) => sum + size, 0),
      startedAt: this.clock(),
      loaded: 0,
      done: this.options
        .load(adapter, (count) => (load.loaded += count))
        .then(() => this.measure(load))
        .finally(() => {
          this.loads.delete(key);
          this.options.onChange();
        }),
    };
    this.loads.set(key, load);
    this.options.onChange();
    // The error is dropped if no call waits for the load any more; the next call starts a new one.
    load.done.catch(() => undefined);
    return load;
  }

  private measure(load: Load): void {
    const rate = load.bytes / Math.max(1, this.elapsed(load));
    this.bytesPerMs = this.bytesPerMs === null ? rate : 0.7 * this.bytesPerMs + 0.3 * rate;
  }

  /** Milliseconds left; null while unknown. */
  private expectedMs(load: Load): number | null {
    const elapsed = this.elapsed(load);
    const rate = elapsed >= TELLING_MS ? load.loaded / elapsed : this.bytesPerMs;
    return rate === null || rate === 0 ? null : (load.bytes - load.loaded) / rate;
  }

  private elapsed({ startedAt }: Load): number {
    return this.clock() - startedAt;
  }
}

const bounded = (ms: number): number => Math.min(MAX_RETRY_MS, Math.max(SHORTEST_RETRY_MS, ms));

/**
 * Whether a promise settles within `ms` milliseconds.
 * @throws what it throws until then
 */
export async function endsWithin(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([done.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
