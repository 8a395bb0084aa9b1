import { OutOfMemoryError, type ProcessModel } from '#gpu-runner/engines/process-model.js';

/** An engine of decoders or of encoders. */
interface Loads<Model extends ProcessModel> {
  load(baseDirectory: string, adapterDirectory: string | null): Promise<Model>;
}

interface Entry {
  readonly model: Promise<ProcessModel>;
  /** Size of an adapter, once it is loaded. */
  byteSize: number;
  /** Calls that run on it: it is not closed to make room. */
  users: number;
}

/** A model that a call runs on, which stays in memory until then. */
export interface ModelLease<Model extends ProcessModel> {
  readonly model: Model;
  release(): void;
}

/**
 * Models in the memory of their engines' processes: each base once, and adapters on them up to a budget, the least recently used
 * leaving first. One that calls run on stays until they have ended.
 */
export class ProcessModelCache {
  /** By engine and folder of the adapter or of the base, least recently used first. */
  private readonly entries = new Map<string, Entry>();
  /** Several engines may have the model of one folder. */
  private readonly engines = new Map<Loads<ProcessModel>, number>();

  constructor(
    private readonly maxAdapterBytes: number,
    /** Checks an adapter's folder before it is loaded. */
    private readonly check: (adapterDirectory: string) => Promise<void>,
  ) {}

  /** Number of models that are in memory or being read into it. */
  get size(): number {
    return this.entries.size;
  }

  /** @throws what `engine.load` and `check` throw */
  async lease<Model extends ProcessModel>(
    engine: Loads<Model>,
    baseDirectory: string,
    adapterDirectory: string | null,
  ): Promise<ModelLease<Model>> {
    const key = this.keyOf(engine, adapterDirectory ?? baseDirectory);
    const entry = this.entries.get(key) ?? this.load(key, engine, baseDirectory, adapterDirectory);
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.users += 1;
    try {
      // An engine's own entry.
      const model = (await entry.model) as Model;
      await this.withRoom(() => model.ready());
      return { model, release: () => this.release(key, entry) };
    } catch (error) {
      this.release(key, entry);
      throw error;
    }
  }

  /** Drops an adapter, if it is loaded. */
  forget(adapterDirectory: string): void {
    for (const engine of this.engines.keys()) {
      const key = this.keyOf(engine, adapterDirectory);
      const entry = this.entries.get(key);
      if (!entry) continue;
      this.entries.delete(key);
      if (entry.users === 0) end(entry);
    }
  }

  /** Ends every model; calls that run on one end with an error. */
  async close(): Promise<void> {
    const models = [...this.entries.values()].map(({ model }) => model);
    this.entries.clear();
    await Promise.allSettled(models.map(async (model) => (await model).close()));
  }

  private keyOf(engine: Loads<ProcessModel>, directory: string): string {
    const number = this.engines.get(engine) ?? this.engines.size;
    this.engines.set(engine, number);
    return `${number} ${directory}`;
  }

  private load(
    key: string,
    engine: Loads<ProcessModel>,
    baseDirectory: string,
    adapterDirectory: string | null,
  ): Entry {
    const load = async () => {
      if (adapterDirectory !== null) await this.check(adapterDirectory);
      return this.withRoom(() => engine.load(baseDirectory, adapterDirectory));
    };
    const entry: Entry = { model: load(), byteSize: 0, users: 0 };
    entry.model.then(
      (model) => {
        if (adapterDirectory !== null) entry.byteSize = model.byteSize;
        this.makeRoom(key);
      },
      () => {
        if (this.entries.get(key) === entry) this.entries.delete(key);
      },
    );
    return entry;
  }

  /** When the device is out of memory, a load is retried after idle models were dropped: bases have no budget. */
  private async withRoom<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
    try {
      return await load();
    } catch (error) {
      const idle = [...this.entries].filter(([, { users }]) => users === 0);
      if (!(error instanceof OutOfMemoryError) || idle.length === 0) throw error;
      for (const [key] of idle) this.entries.delete(key);
      await Promise.allSettled(idle.map(async ([, { model }]) => (await model).close()));
      return load();
    }
  }

  private release(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (this.entries.get(key) === entry) this.makeRoom(null);
    else end(entry);
  }

  /** @param newest stays, whatever its size */
  private makeRoom(newest: string | null): void {
    let bytes = [...this.entries.values()].reduce((sum, { byteSize }) => sum + byteSize, 0);
    for (const [key, entry] of this.entries) {
      if (bytes <= this.maxAdapterBytes) return;
      if (key === newest || entry.users > 0 || entry.byteSize === 0) continue;
      this.entries.delete(key);
      bytes -= entry.byteSize;
      end(entry);
    }
  }
}

/** Errors of closing are ignored: the engine ends such a model with its process. */
const end = ({ model }: Entry): void => void model.then((each) => each.close()).catch(() => undefined);
