import { mkdir, rename, rm } from 'node:fs/promises';
import { createWriteStream, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { extract } from 'tar-stream';
import type { Application } from '#application/application.js';
import {
  EXPORT_FORMATS,
  exportIdOf,
  modelExportDecider,
  type ExportFormat,
  type ModelExportCommand,
  type ModelExportState,
  type StoredExport,
} from '#domain/model-export/index.js';
import { trainingJobDecider, type TrainingRequest } from '#domain/training-job/index.js';
import { canRun, loose, needsOfExport, type Needs } from '#gpu-runner/contract/needs.js';
import { RUNNER_HEARTBEAT, type Heartbeat } from '#gpu-runner/contract/work.js';
import { verified } from '#ports/object-store/verified.js';
import { modelExportsDocuments, openExports } from '#projections/model-exports/queries.js';
import { OperationError, type Operations, type OperationProgress } from './operation.js';
import { refusable } from './teams.js';
import { operatorContext } from './operator-context.js';

const LOOK_EVERY_MS = 250;
/** Without a heartbeat for so long, there is no runner for it. */
const NO_RUNNER_MS = 15_000;
const UNFINISHED = '.unfinished';

/** Trained models as folders of this machine: `models.export`. */
export const exportOperations = (application: Application, noRunnerMs = NO_RUNNER_MS): Operations => ({
  /** `{job, as, out}`: waits until a runner has written the export, and unpacks it into a new folder. */
  async *'models.export'({ job, as, out }, signal) {
    const format = EXPORT_FORMATS.find((each) => each === as);
    if (format === undefined) throw new OperationError(`--as must be one of ${EXPORT_FORMATS.join(', ')}`);
    const folder = out as string;
    if (existsSync(folder)) throw new OperationError(`${folder} exists already; name a folder that does not`);
    const request = await finished(application, job as string);
    const archive = yield* exported(application, request, format, signal, noRunnerMs);
    await unpack(application, archive, folder);
    yield { job: request.jobId, as: format, folder, bytes: archive.size };
  },
});

async function finished(application: Application, jobId: string): Promise<TrainingRequest> {
  const job = await application.load(trainingJobDecider, jobId);
  if (job.status === 'none' || job.status === 'deleted') throw new OperationError(`there is no training job ${jobId}`);
  if (job.status !== 'complete' && job.status !== 'deployed')
    throw new OperationError(`training job ${jobId} is ${job.status}; it can be exported once it is complete`);
  return job.request;
}

/** Requests the export and waits for it; a complete one is reused. */
async function* exported(
  application: Application,
  { jobId, workspaceId, userId, engine, baseModel }: TrainingRequest,
  format: ExportFormat,
  signal: AbortSignal,
  noRunnerMs: number,
): AsyncGenerator<OperationProgress, StoredExport> {
  const exportId = exportIdOf(jobId, format);
  const runners = new ExportRunners(application, exportId, needsOfExport({ engine, baseModel }));
  try {
    const asked = { exportId, jobId, workspaceId, userId, format, engine, baseModel };
    let state: ModelExportState = await requested(application, { type: 'request-model-export', ...asked });
    while (state.status === 'queued' || state.status === 'running') {
      signal.throwIfAborted();
      if (runners.silentMs > noRunnerMs)
        throw new OperationError(
          `no runner with engine ${engine.name} and base model ${baseModel.id} is running: start one. The export stays requested`,
        );
      yield { progress: { done: Math.floor(100 * runners.fraction), total: 100, unit: '%' } };
      await sleep(LOOK_EVERY_MS, undefined, { signal });
      state = await application.load(modelExportDecider, exportId);
    }
    if (state.status === 'complete') return state.archive;
    throw new OperationError(state.status === 'failed' ? state.reason : `there is no export ${exportId}`);
  } finally {
    await runners.close();
  }
}

/** @throws OperationError the workspace's storage or queue of exports is full, or the export has failed too often */
async function requested(
  application: Application,
  command: Extract<ModelExportCommand, { type: 'request-model-export' }>,
): Promise<ModelExportState> {
  const { exportId, workspaceId } = command;
  const before = await application.load(modelExportDecider, exportId);
  const isNew = before.status === 'none' || before.status === 'failed';
  return refusable(async () => {
    if (isNew) await requireQueue(application, workspaceId);
    const context = operatorContext(workspaceId);
    const visible = [modelExportsDocuments.collection];
    return (await application.execute(modelExportDecider, exportId, command, context, visible)).state;
  });
}

/** @throws OperationError, QuotaExceededError */
async function requireQueue({ ports, storage }: Application, workspaceId: string): Promise<void> {
  await storage.requireRoom(workspaceId, { bytes: 1 });
  const [length, limit] = await Promise.all([
    openExports(ports.readStore, workspaceId),
    storage.limits.of(workspaceId, 'exports'),
  ]);
  if (length >= limit)
    throw new OperationError(
      `the workspace has ${length} exports waiting or running, and may have ${limit}; wait until some have ended, or see: anneal team limit exports`,
    );
}

/** The progress of an export, as reported by its runner, and whether any runner can make it. */
class ExportRunners {
  fraction = 0;
  private heardAt = performance.now();
  private readonly subscription;

  /** @param needs heartbeats of runners without them do not count */
  constructor({ ports: { bus } }: Application, exportId: string, needs: Needs | null) {
    this.subscription = bus.listen(RUNNER_HEARTBEAT, (body) => {
      const { working, engines } = body as unknown as Heartbeat;
      if (needs && engines && !canRun(engines, loose(needs))) return;
      this.heardAt = performance.now();
      const here = working.find(({ kind, id }) => kind === 'export' && id === exportId);
      if (here) this.fraction = here.progress.fraction;
    });
  }

  get silentMs(): number {
    return performance.now() - this.heardAt;
  }

  close(): Promise<void> {
    return this.subscription.stop();
  }
}

/** Unpacks the files of an archive into a folder that appears once it is whole. */
async function unpack(application: Application, archive: StoredExport, folder: string): Promise<void> {
  const unfinished = `${folder}${UNFINISHED}`;
  const damaged = () => new OperationError('the stored export is damaged; restore the object store from a backup');
  try {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    const content = verified(await application.ports.objectStore.get(archive.key), archive.sha256, damaged);
    const tar = extract();
    const packing = pipeline(Readable.from(content), tar);
    packing.catch(() => undefined);
    for await (const entry of tar) {
      // Archives are flat: a directory with files.
      if (entry.header.type !== 'file') throw damaged();
      await pipeline(entry, createWriteStream(join(unfinished, basename(entry.header.name))));
    }
    await packing;
    await mkdir(dirname(folder), { recursive: true });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    const { syscall, code } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new OperationError(`${folder} cannot be written (${code ?? syscall})`);
  }
}
