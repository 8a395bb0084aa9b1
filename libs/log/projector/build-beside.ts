import { nextGeneration } from './collection.js';
import type { Projection } from './projection.js';
import { ProjectionRunner, type AbsorbedTo, type ProjectionRunnerOptions } from './runner.js';

/** Builds a projection elsewhere, from its checkpoint, until it is nearly caught up. */
export type BuildAside = (
  projection: Projection,
  generation: number,
  signal: AbortSignal,
  onProgress: (progress: AbsorbedTo) => void,
) => Promise<void>;

interface BuildBesideOptions extends ProjectionRunnerOptions {
  readonly buildAside?: BuildAside | undefined;
  readonly batchSize: number;
}

/** Builds another generation of a projection from the start of the log, beside the live one. */
export class BuildBeside {
  readonly runner: ProjectionRunner;
  readonly done: Promise<void>;
  private readonly aborting = new AbortController();
  private aside: AbsorbedTo | null = null;

  /** @param live the generation that answers queries until then */
  constructor(
    private readonly projection: Projection,
    private readonly live: number,
    private readonly options: BuildBesideOptions,
  ) {
    this.runner = new ProjectionRunner(projection, options, nextGeneration(live));
    this.done = this.build();
    this.done.catch(() => undefined);
  }

  get progress(): AbsorbedTo {
    return this.aside ?? this.runner;
  }

  async abort(): Promise<void> {
    this.aborting.abort();
    await this.done.catch(() => undefined);
  }

  private async build(): Promise<void> {
    const { signal } = this.aborting;
    const { buildAside, batchSize } = this.options;
    await this.runner.open();
    // An interrupted build left this behind.
    if (this.runner.position !== null) await this.runner.drop();
    if (buildAside) {
      const generation = nextGeneration(this.live);
      await buildAside(this.projection, generation, signal, (progress) => (this.aside = progress));
      await this.runner.open();
      this.aside = null;
    }
    await this.runner.catchUp(signal, batchSize);
    signal.throwIfAborted();
  }
}
