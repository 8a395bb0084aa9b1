import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '#application/application.js';
import { BENCHMARKS, DATASETS_VISIBLE_IN, datasetStreamId, loadVersion } from '#application/datasets.js';
import { isMappable, MAPPABLE_COLUMNS, readAs } from '#rows/formats/index.js';
import { DEFAULT_OPTIONS, VersionProcessor } from '#rows/processing/process-version.js';
import {
  DATASET_NAME,
  datasetDecider,
  ON_ERROR,
  shownStatus,
  type DatasetCommand,
  type DatasetType,
  type DatasetVersion,
} from '#domain/dataset/index.js';
import { DomainError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { versionsOf } from '#projections/dataset-versions/queries.js';
import { userOf } from './keys.js';
import { isPrintable } from '#domain/printable.js';
import { OperationError, type Operations } from './operation.js';
import { operatorContext } from './operator-context.js';

const LOOK_EVERY_MS = 100;
const TYPES: readonly DatasetType[] = ['ner', 'classification', 'custom', 'decoder'];

/** Datasets: `datasets.list`, `.restore`, `.add-benchmark`, `.remove-benchmark`. */
export const datasetOperations = (application: Application): Operations => ({
  /** `{deleted?, benchmarks?, email?}`: lists a workspace's versions, its deleted ones, or the benchmarks'. */
  async *'datasets.list'({ deleted, ...whose }) {
    const owner = await ownerOf(application, whose);
    const versions = await versionsOf(application.ports.readStore, owner, deleted === true);
    yield* versions.map(recordOf);
  },

  /** `{name, version?, benchmarks?, email?}`: default all versions that were ready. */
  async *'datasets.restore'({ name, version, ...whose }) {
    const owner = await ownerOf(application, whose);
    const requested = version === undefined ? ('all' as const) : numberOf(version);
    yield* await changed(application, owner, textOf(name), {
      type: 'restore-versions',
      name: textOf(name),
      requested,
    });
  },

  /** `{path, name, type, columns?, onError?}`: a file of this machine; gives the version when it is ready, or has failed. */
  async *'datasets.add-benchmark'({ path, name, type, columns, onError }, signal) {
    const command = newBenchmark({ path, name, type, columns, onError });
    const file = await stat(textOf(path)).catch(() => null);
    if (!isPrintable(basename(textOf(path))))
      throw new OperationError('the name of the file must not contain control characters; rename it');
    if (!file?.isFile()) throw new OperationError(`${textOf(path)} is no file that the running system can read`);
    const version = await sealed(application, command, textOf(path));
    yield recordOf(await processed(application, version, signal));
  },

  /** `{name, version?}` */
  async *'datasets.remove-benchmark'({ name, version }) {
    const stream = datasetStreamId(BENCHMARKS, textOf(name));
    const { versions } = await application.load(datasetDecider, stream);
    const present = versions.filter(({ status }) => status !== 'deleted');
    const found = present.find(({ versionNumber }) => version !== undefined && versionNumber === numberOf(version));
    if (present.length === 0 || (version !== undefined && !found))
      throw new OperationError(`there is no benchmark of this name; see: anneal datasets list --benchmarks`);
    yield* await changed(
      application,
      BENCHMARKS,
      textOf(name),
      found
        ? { type: 'delete-version', workspaceId: BENCHMARKS, versionId: found.versionId }
        : { type: 'delete-dataset', name: textOf(name) },
    );
  },
});

/**
 * Runs a command.
 * @returns the changed versions, in their present state
 */
async function changed(
  application: Application,
  owner: string,
  name: string,
  command: DatasetCommand,
): Promise<JsonObject[]> {
  const stream = datasetStreamId(owner, name);
  const { versions: before } = await application.load(datasetDecider, stream);
  try {
    const context = operatorContext(owner);
    const { state } = await application.execute(datasetDecider, stream, command, context, DATASETS_VISIBLE_IN);
    return state.versions.filter((version, index) => version.status !== before[index]?.status).map(recordOf);
  } catch (error) {
    throw error instanceof DomainError ? new OperationError(error.message) : error;
  }
}

type NewBenchmark = Extract<DatasetCommand, { type: 'initialize-version' }>;

function newBenchmark({ path, name, type, columns, onError: asked }: JsonObject): NewBenchmark {
  if (!DATASET_NAME.test(textOf(name)))
    throw new OperationError('the name must be 1 to 128 letters, digits, spaces or any of . _ -');
  const datasetType = TYPES.find((each) => each === type);
  if (datasetType === undefined) throw new OperationError(`--type must be one of ${TYPES.join(', ')}`);
  const onError = ON_ERROR.find((each) => each === asked);
  if (onError === undefined && asked !== undefined && asked !== null)
    throw new OperationError(`--on-error must be one of ${ON_ERROR.join(', ')}`);
  return {
    ...{ type: 'initialize-version', workspaceId: BENCHMARKS, name: textOf(name), datasetType },
    ...{ format: null, fileName: basename(textOf(path)), projectId: null, kind: 'benchmark' },
    columnMapping: mappingOf(columns),
    ...(onError !== undefined && { onError }),
  } as const;
}

/** `['text=sentence', ...]` */
function mappingOf(columns: Json | undefined): Readonly<Record<string, string>> {
  const pairs = Array.isArray(columns) ? (columns as readonly Json[]) : [];
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, ours = '', theirs = ''] = /^([^=]+)=(.+)$/.exec(textOf(pair)) ?? [];
      if (isMappable(ours)) return [ours, theirs];
      throw new OperationError(
        `--column must be COLUMN=NAME, where COLUMN is one of ${MAPPABLE_COLUMNS.join(', ')}, or labels.<task> (got ${textOf(pair)})`,
      );
    }),
  );
}

/** The file as the newest version of the benchmark, to be processed as uploads are. */
async function sealed(application: Application, command: NewBenchmark, path: string): Promise<DatasetVersion> {
  const stream = datasetStreamId(BENCHMARKS, command.name);
  const context = () => operatorContext(BENCHMARKS);
  const { state } = await application.execute(datasetDecider, stream, command, context(), DATASETS_VISIBLE_IN);
  const version = state.versions.at(-1)!;
  const { versionId } = version;
  const key = `datasets/${BENCHMARKS}/${versionId}/source`;
  const source = await application.ports.objectStore.put(key, createReadStream(path));
  const seal = { type: 'seal-version', workspaceId: BENCHMARKS, versionId, source } as const;
  await application.execute(datasetDecider, stream, seal, context(), DATASETS_VISIBLE_IN);
  return version;
}

/** Processes it, unless a worker is at it: none may be running. */
async function processed(
  application: Application,
  { name, versionId }: DatasetVersion,
  signal: AbortSignal,
): Promise<DatasetVersion> {
  const stream = datasetStreamId(BENCHMARKS, name);
  const processor = new VersionProcessor(application, DEFAULT_OPTIONS);
  for (;;) {
    await processor.process(stream, versionId, signal);
    const version = (await loadVersion(application, stream, versionId))!;
    if (['ready', 'failed', 'deleted'].includes(version.status) || signal.aborted) return version;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

const ownerOf = async (application: Application, { benchmarks, email }: JsonObject): Promise<string> =>
  benchmarks === true ? BENCHMARKS : (await userOf(application, email)).workspaceId;

function recordOf(version: DatasetVersion): JsonObject {
  const stage = version.status === 'deleted' ? version.before : version;
  return {
    name: version.name,
    version: version.versionNumber,
    type: version.datasetType,
    status: version.status === 'deleted' ? 'deleted' : shownStatus(version),
    rows: stage.status === 'ready' ? stage.contents.rows : null,
    readAs: stage.status === 'ready' ? readAs(stage.contents, stage.leftOut) : null,
    error: stage.status === 'failed' ? stage.reason : null,
    createdAt: version.createdAt,
    updatedAt: version.updatedAt,
  };
}

function textOf(value: Json | undefined): string {
  if (typeof value !== 'string' || value === '') throw new OperationError('the name of the dataset is required');
  return value;
}

function numberOf(value: Json): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new OperationError('the version must be a whole number from 1');
  return number;
}
