import { randomUUID } from 'node:crypto';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetStreamId, loadVersion } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { initializeVersion, sealVersion } from '../../datasets/new-versions.js';
import { DomainError, UnavailableError } from '#domain/errors.js';
import {
  generationJobDecider,
  MAX_GENERATION_ATTEMPTS,
  MAX_GENERATION_ATTEMPTS_IN_VAIN,
  rowsKey,
  type GeneratedRows,
  type GenerationJob,
  type GenerationJobCommand,
} from '#domain/generation-job/index.js';
import type { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { underLease } from '#log/leadership/index.js';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { collectRows } from '#rows/synthetic/collect.js';
import type { Generators } from '#rows/synthetic/generators.js';
import { GenerationError } from '#rows/synthetic/port.js';
import { GENERATION_PROGRESS, type GenerationProgress } from '#rows/synthetic/progress.js';

const PROGRESS_MS = 1_000;

/**
 * Advances one job as far as possible now. An attempt is recorded in the log before it begins, so that a request that
 * fails each time is given up after a few attempts, and one that crashes the server after many; an orderly shutdown, or
 * a store that is unreachable or full, does not count against it. Every step is decided by a stream under a command id
 * derived from the job, so that two workers do each step once.
 */
export class GenerationWork {
  private readonly worker = randomUUID();

  constructor(
    private readonly application: Application,
    private readonly generators: Generators,
    /** The slots in which batches of a generator's rows wait for their turn. */
    private readonly slotsOf: (generator: string) => FairSlots,
  ) {}

  /**
   * Advances a job; does nothing while another worker does.
   * @throws if the failure is not the job's fault: retry later
   */
  async advance(jobId: string, signal: AbortSignal): Promise<void> {
    const { coordination: leases } = this.application.ports;
    const lease = { leases, name: `generation/${jobId}`, holder: this.worker };
    await underLease(lease, signal, (held) => this.advanceHeld(jobId, held));
  }

  private async advanceHeld(jobId: string, signal: AbortSignal): Promise<void> {
    let job = await this.open(jobId);
    if (job && job.made === null) {
      await this.attempt(job, signal);
      job = await this.open(jobId);
    }
    if (job === null || job.made === null || signal.aborted) return;
    try {
      if (job.request.datasetName === null) await this.decide(job, { type: 'complete-generation', jobId });
      else await this.settleVersion(job, job.request.datasetName);
    } catch (error) {
      // The dataset refuses the rows, and a retry would not help.
      if (!(error instanceof DomainError) || error instanceof UnavailableError) throw error;
      await this.decide(job, { type: 'fail-generation', jobId, reason: error.message });
    }
  }

  private async attempt(job: GenerationJob, signal: AbortSignal): Promise<void> {
    const { jobId } = job.request;
    // An attempt that this worker began and did not end broke down here; attempts of other workers ended with them.
    const inVain = job.lostInVain + (job.worker === this.worker ? 1 : 0);
    if (inVain >= MAX_GENERATION_ATTEMPTS_IN_VAIN || job.attempt >= MAX_GENERATION_ATTEMPTS) {
      const times = inVain >= MAX_GENERATION_ATTEMPTS_IN_VAIN ? inVain : job.attempt;
      const reason = `it broke down ${times} times; the server's log says why`;
      return this.decide(job, { type: 'fail-generation', jobId, reason });
    }
    const attempt = job.attempt + 1;
    await this.decide(job, { type: 'start-generation-attempt', jobId, attempt, worker: this.worker });
    try {
      const made = await this.make(job, attempt, signal);
      await this.decide(job, { type: 'record-generated-rows', jobId, attempt, ...made });
    } catch (error) {
      const isRefusal = error instanceof DomainError && !(error instanceof UnavailableError);
      if (!signal.aborted && (error instanceof GenerationError || isRefusal))
        return this.decide(job, { type: 'fail-generation', jobId, reason: error.message });
      const isOutage =
        error instanceof UnavailableError || error instanceof ObjectStoreUnavailableError || isOutOfRoom(error);
      if (signal.aborted || isOutage) await this.decide(job, { type: 'interrupt-generation-attempt', jobId, attempt });
      if (!signal.aborted) throw error;
    }
  }

  private async make(job: GenerationJob, attempt: number, signal: AbortSignal): Promise<GeneratedRows> {
    const { jobId, workspaceId, requestedBy, projectId, generator, rows: request } = job.request;
    const batches = this.generators
      .named(generator)
      .rows(request, { jobId, workspaceId, requestedBy, projectId, signal });
    const { rows, ...figures } = await collectRows(
      drawnInTurns(batches, this.slotsOf(generator), workspaceId, signal),
      request,
      this.progress(jobId, attempt),
    );
    const key = rowsKey(workspaceId, jobId, attempt);
    const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const object = await this.application.ports.objectStore.put(key, lines);
    return { object, count: rows.length, ...figures };
  }

  private progress(jobId: string, attempt: number): (fraction: number) => void {
    const { bus } = this.application.ports;
    let said = -Infinity;
    return (fraction) => {
      if (performance.now() - said < PROGRESS_MS) return;
      said = performance.now();
      const progress: GenerationProgress = { jobId, attempt, fraction };
      bus.signal(GENERATION_PROGRESS, progress);
    };
  }

  /** Makes a version of the rows; the version's fate is the job's. */
  private async settleVersion(job: GenerationJob, name: string): Promise<void> {
    const { jobId, workspaceId, projectId, rows } = job.request;
    const { object } = job.made!;
    // However often this is tried.
    const context = systemContext('generation', workspaceId, derivedId(jobId, 'version'));
    let { version } = job;
    if (version === null) {
      const of = { workspaceId, name, datasetType: rows.taskType, generationType: 'synthetic', projectId } as const;
      const { versionId, versionNumber } = await initializeVersion(this.application, of, context);
      await this.decide(job, { type: 'assign-generated-version', jobId, versionId, versionNumber });
      version = { versionId, versionNumber };
    }
    const { versionId } = version;
    const stored = await loadVersion(this.application, datasetStreamId(workspaceId, name), versionId);
    if (stored?.status === 'initialized')
      return sealVersion(this.application, { workspaceId, name, versionId }, object, context);
    if (stored?.status === 'ready') return this.decide(job, { type: 'complete-generation', jobId });
    const number = version.versionNumber;
    const reason =
      stored?.status === 'failed'
        ? // Its reason quotes rows: it stays in one place, which goes with the version.
          `version ${number} of the dataset failed, and its record says why: GET /felix/datasets/${encodeURIComponent(name)}/${number}`
        : stored?.status === 'deleted'
          ? `version ${number} of the dataset was deleted before it was ready`
          : null;
    if (reason !== null) await this.decide(job, { type: 'fail-generation', jobId, reason });
  }

  private async open(jobId: string): Promise<GenerationJob | null> {
    const job = await this.application.load(generationJobDecider, jobId);
    return job.status === 'queued' || job.status === 'generating' ? job : null;
  }

  private async decide({ request: { workspaceId } }: GenerationJob, command: GenerationJobCommand): Promise<void> {
    const context = systemContext('generation', workspaceId);
    await this.application.execute(generationJobDecider, command.jobId, command, context);
  }
}

/**
 * Draws each batch in its workspace's turn, so that a job of hours lets others run in between.
 * @throws the signal's reason
 */
async function* drawnInTurns<T>(
  batches: AsyncIterable<T>,
  slots: FairSlots,
  workspaceId: string,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const drawing = batches[Symbol.asyncIterator]();
  const draw = () => {
    signal.throwIfAborted();
    return drawing.next();
  };
  try {
    for (let next = await slots.run(workspaceId, async () => draw()); !next.done;) {
      signal.throwIfAborted();
      yield next.value;
      next = await slots.run(workspaceId, async () => draw());
    }
  } finally {
    await drawing.return?.();
  }
}
