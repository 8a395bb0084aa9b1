import { v5 as uuid5 } from 'uuid';
import {
  datasetDecider,
  isBy,
  readableVersion,
  type ClaimantKind,
  type ClassTask,
  type DatasetState,
  type DatasetType,
  type DatasetVersion,
  type Head,
  type PinnedObject,
  type ReadyVersion,
  type VersionRequest,
} from '#domain/dataset/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { datasetVersionDocuments } from '#projections/dataset-versions/queries.js';
import { datasetDocuments } from '#projections/datasets/queries.js';
import { storageDocuments } from '#projections/storage/queries.js';
import type { Application } from './application.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';

/** Namespace of dataset stream ids (RFC 9562, version 5). */
const DATASETS = 'c1c4b1b6-55c5-5d0c-9a6a-6a1d5f0c2f1e';

/** The stream of a dataset: one for each workspace and name, also for names that no dataset can have. */
export const datasetStreamId = (workspaceId: string, name: string): string =>
  uuid5(`${workspaceId}/${name.toWellFormed()}`, DATASETS);

/** The read models that show a version's state. */
export const DATASETS_VISIBLE_IN = [datasetVersionDocuments, datasetDocuments, storageDocuments].map(
  ({ collection }) => collection,
);

/** A version as the log has it now. @param stream as `datasetStreamId` gives it */
export async function loadVersion(
  application: Application,
  stream: string,
  versionId: string,
): Promise<DatasetVersion | undefined> {
  const { versions } = await application.load(datasetDecider, stream);
  return versions.find((candidate) => candidate.versionId === versionId);
}

/** The error for a repeated request whose version was removed together with the answer kept for repeats. */
export const removedForGood = (): ConflictError =>
  new ConflictError('the version that this Idempotency-Key made was removed for good; send another Idempotency-Key');

/**
 * The owner of benchmark datasets; no workspace has this id. All workspaces can read benchmarks and evaluate on them;
 * only the operator creates or deletes them. A workspace's own dataset of the same name takes precedence.
 */
export const BENCHMARKS = 'benchmarks';

/**
 * The undeleted versions that a workspace sees under a name: its own dataset's, else a benchmark's. Empty if there is
 * no such dataset.
 */
export async function seenVersions(
  application: Application,
  workspaceId: string,
  name: string,
): Promise<readonly DatasetVersion[]> {
  for (const owner of [workspaceId, BENCHMARKS]) {
    const { versions } = await application.load(datasetDecider, datasetStreamId(owner, name));
    const present = versions.filter(({ status }) => status !== 'deleted');
    if (present.length > 0) return present;
  }
  return [];
}

/**
 * The version whose rows are to be read, among those that a workspace sees, from the log itself; `latest` is the newest ready one.
 * @throws NotFoundError, ConflictError naming its state
 */
export const seenReadableVersion = async (
  application: Application,
  request: { readonly workspaceId: string; readonly name: string; readonly version: VersionRequest },
): Promise<ReadyVersion> => {
  const versions = await seenVersions(application, request.workspaceId, request.name);
  return readableVersion(versions, request.name, request.version);
};

/** Whether there is a benchmark of this name. */
export async function isBenchmark(application: Application, name: string): Promise<boolean> {
  const { versions } = await application.load(datasetDecider, datasetStreamId(BENCHMARKS, name));
  return versions.some(({ status }) => status !== 'deleted');
}

/** A claimed dataset version. It cannot change or be deleted while the claim exists. */
export interface PinnedRows {
  readonly name: string;
  readonly versionId: string;
  readonly versionNumber: number;
  readonly datasetType: DatasetType;
  /** The rows: canonical JSONL, read by `storedRows` (libs/rows/formats). */
  readonly object: PinnedObject;
  readonly rows: number;
  readonly heads: readonly Head[];
  readonly labels: readonly string[];
  readonly entityLabels: readonly string[];
  readonly classLabels: readonly string[];
  readonly multiLabel: boolean;
  readonly hasTools: boolean;
  readonly classTasks: readonly ClassTask[];
  readonly structureNames: readonly string[];
}

export interface Claimant {
  readonly kind: ClaimantKind;
  readonly id: string;
}

/**
 * Claims a dataset version for a job or an evaluation before it begins. A repeat by the same claimant for the same
 * request returns the same pin, even after later uploads. Benchmarks, which no client deletes, are pinned unclaimed,
 * for evaluations only, or to exclude their texts from training.
 * @param request.version a number, or the newest ready version when absent or `latest`
 * @throws NotFoundError the name or the version does not exist in this workspace
 * @throws ConflictError the version is not ready, naming its state, or a job is to learn from a benchmark
 */
export async function claimDatasetVersion(
  application: Application,
  request: {
    readonly workspaceId: string;
    readonly name: string;
    readonly version?: VersionRequest;
    /** True: the version's texts are not trained on. */
    readonly isExcluded?: boolean;
    readonly claimant: Claimant;
  },
  context: CommandContext,
): Promise<PinnedRows> {
  const { workspaceId, name, claimant, version: requested = 'latest' } = request;
  const by = { claimantKind: claimant.kind, claimantId: claimant.id };
  const commandId = derivedId(context.commandId, `claim/${claimant.kind}/${claimant.id}/${requested}`);
  const claim = { type: 'claim-version', workspaceId, name, requested, ...by } as const;
  const stream = datasetStreamId(workspaceId, name);
  try {
    const { state } = await application.execute(datasetDecider, stream, claim, { ...context, commandId });
    const own = state.claims.find((candidate) => isBy(candidate, by) && candidate.requested === requested);
    return pinOf(state, name, own?.versionId ?? '');
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.what !== 'dataset') throw error;
    return pinOfBenchmark(application, name, requested, claimant.kind === 'job' && !request.isExcluded);
  }
}

/** @throws NotFoundError, ConflictError */
async function pinOfBenchmark(
  application: Application,
  name: string,
  requested: VersionRequest,
  isLearned: boolean,
): Promise<PinnedRows> {
  const state = await application.load(datasetDecider, datasetStreamId(BENCHMARKS, name));
  const { versionId } = readableVersion(state.versions, name, requested);
  if (isLearned)
    throw new ConflictError(
      `dataset ${JSON.stringify(name)} is a benchmark: it is for evaluations only, and cannot be used for training`,
    );
  return pinOf(state, name, versionId);
}

/** Lets go of every version of the dataset that the claimant holds. Repeating it, or never having claimed, is no error. */
export async function releaseDatasetClaim(
  application: Application,
  request: { readonly workspaceId: string; readonly name: string; readonly claimant: Claimant },
  context: CommandContext,
): Promise<void> {
  const { workspaceId, name, claimant } = request;
  const commandId = derivedId(context.commandId, `release/${claimant.kind}/${claimant.id}`);
  await application.execute(
    datasetDecider,
    datasetStreamId(workspaceId, name),
    { type: 'release-claims', claimantKind: claimant.kind, claimantId: claimant.id },
    { ...context, commandId },
  );
}

function pinOf(state: DatasetState, name: string, versionId: string): PinnedRows {
  const version = state.versions.find((candidate) => candidate.versionId === versionId);
  if (version?.status !== 'ready') throw new NotFoundError('dataset version', name);
  const { versionNumber, datasetType, object, contents } = version;
  const { rows, heads, labels, entityLabels, classLabels, multiLabel } = contents;
  const { hasTools = false, classTasks = [], structures = [] } = contents;
  return {
    name,
    versionId,
    versionNumber,
    datasetType,
    object,
    rows,
    heads,
    labels,
    entityLabels,
    classLabels,
    multiLabel,
    hasTools,
    classTasks,
    structureNames: structures.map((structure) => structure.name),
  };
}
