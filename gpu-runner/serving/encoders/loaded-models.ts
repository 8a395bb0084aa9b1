import type { Engine, LoadedModel } from '#gpu-runner/engines/engine.js';

/**
 * Models in memory: each base once, and adapters on them up to a budget, the least recently used leaving first.
 */
export class LoadedModels {
  /** Adapters, least recently used first. */
  private readonly adapters = new Map<string, LoadedModel>();
  private readonly bases = new Map<string, LoadedModel>();
  private adapterBytes = 0;

  constructor(
    private readonly maxAdapterBytes: number,
    /** Checks an adapter's folder before it is loaded. */
    private readonly check: (adapterDirectory: string) => void,
  ) {}

  /** @throws ArtifactError, and what `check` throws */
  get(engine: Pick<Engine, 'load'>, baseDirectory: string, adapterDirectory: string | null): LoadedModel {
    return adapterDirectory === null
      ? this.base(engine, baseDirectory)
      : this.adapter(engine, baseDirectory, adapterDirectory);
  }

  /** Drops an adapter, if it is loaded. */
  forget(adapterDirectory: string): void {
    const model = this.adapters.get(adapterDirectory);
    if (!model) return;
    this.adapters.delete(adapterDirectory);
    this.adapterBytes -= model.byteSize;
  }

  private base(engine: Pick<Engine, 'load'>, directory: string): LoadedModel {
    let model = this.bases.get(directory);
    if (!model) this.bases.set(directory, (model = engine.load(directory, null)));
    return model;
  }

  private adapter(engine: Pick<Engine, 'load'>, baseDirectory: string, directory: string): LoadedModel {
    const known = this.adapters.get(directory);
    if (known) {
      this.adapters.delete(directory);
      this.adapters.set(directory, known);
      return known;
    }
    this.check(directory);
    const model = engine.load(baseDirectory, directory);
    this.adapters.set(directory, model);
    this.adapterBytes += model.byteSize;
    this.evict(directory);
    return model;
  }

  private evict(keep: string): void {
    for (const [directory, model] of this.adapters) {
      if (this.adapterBytes <= this.maxAdapterBytes) return;
      if (directory === keep) continue;
      this.adapters.delete(directory);
      this.adapterBytes -= model.byteSize;
    }
  }
}
