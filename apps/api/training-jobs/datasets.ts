import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { CommandContext } from '#application/context.js';
import {
  claimDatasetVersion,
  releaseDatasetClaim,
  seenReadableVersion,
  type Claimant,
  type DatasetPin as ClaimedVersion,
} from '#application/datasets.js';
import { unlearned, unlearnedKeys } from '#dataset-formats/examples.js';
import type { Head, ReadyVersion } from '#domain/dataset/index.js';
import { InvalidError, type InvalidField } from '#domain/errors.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import { allChecks } from '../errors/index.js';

export interface DatasetRequest {
  readonly name: string;
  readonly version: number | 'latest';
}

const MAX_LABEL_CHARACTERS = 150_000;

/** The datasets of a job or an evaluation, combined. */
export interface ClaimedDatasets {
  readonly pins: readonly DatasetPin[];
  readonly rows: number;
  /** `ner`, `classification`, or `multi_head` for both. */
  readonly taskType: string;
  readonly labels: readonly string[];
  readonly multiLabel: boolean;
  readonly classLabels: readonly string[];
  /** Rows of the datasets that are labelled for this head, in part at least. */
  readonly entityRows: number;
  readonly classRows: number;
}

/** Claims dataset versions for whoever is about to use them. */
@Injectable()
export class DatasetClaims {
  constructor(private readonly application: Application) {}

  /**
   * Looks before claiming, so that a dataset that is missing is told before another that is not ready, and what is refused
   * claims nothing.
   * @throws NotFoundError, ConflictError, InvalidError as `claim`
   */
  async requireReadable(
    workspaceId: string,
    requests: readonly DatasetRequest[],
    claimant: Claimant['kind'],
  ): Promise<void> {
    const versions = await allChecks(...requests.map((request) => this.readable(workspaceId, request)));
    refuseUnfit(
      versions.map((version) => ({ ...version, heads: version.contents.heads })),
      claimant,
    );
  }

  private async readable(workspaceId: string, { name, version }: DatasetRequest): Promise<ReadyVersion> {
    return seenReadableVersion(this.application, { workspaceId, name, version });
  }

  /**
   * Claims all or, when one is refused, none.
   * @throws NotFoundError, ConflictError as `claimDatasetVersion`
   * @throws InvalidError two references are one version, or the rows are labelled for no head of an encoder, or for one that
   *   is not learned yet
   */
  async claim(
    workspaceId: string,
    requests: readonly DatasetRequest[],
    claimant: Claimant,
    context: CommandContext,
  ): Promise<ClaimedDatasets> {
    try {
      const claimed: ClaimedVersion[] = [];
      for (const { name, version } of requests)
        claimed.push(await claimDatasetVersion(this.application, { workspaceId, name, version, claimant }, context));
      refuseDuplicates(claimed);
      refuseUnfit(claimed, claimant.kind);
      const datasets = together(claimed);
      refuseTooManyLabels(datasets.labels);
      return datasets;
    } catch (error) {
      await this.release(workspaceId, requests, claimant, context);
      throw error;
    }
  }

  /** Lets go of what a claimant that never began holds. What fails here is released within a minute all the same. */
  async release(
    workspaceId: string,
    requests: readonly DatasetRequest[],
    claimant: Claimant,
    context: CommandContext,
  ): Promise<void> {
    for (const name of new Set(requests.map((request) => request.name)))
      await releaseDatasetClaim(this.application, { workspaceId, name, claimant }, context).catch(() => undefined);
  }
}

function refuseDuplicates(claimed: readonly ClaimedVersion[]): void {
  claimed.forEach(({ versionId, name, versionNumber }, index) => {
    if (claimed.findIndex((other) => other.versionId === versionId) < index)
      throw new InvalidError({
        path: ['body', 'datasets', index],
        message: `names version ${versionNumber} of ${JSON.stringify(name)} a second time`,
        type: 'not_unique',
      });
  });
}

type Labelled = Pick<ClaimedVersion, 'name' | 'versionNumber' | 'datasetType' | 'heads'>;

function refuseUnfit(versions: readonly Labelled[], claimant: Claimant['kind']): void {
  const fields = versions.flatMap((version, index): InvalidField[] => {
    const message = whyUnfit(version);
    const path = claimant === 'job' ? ['datasets', index, 'name'] : ['dataset_name'];
    return message === null ? [] : [{ path: ['body', ...path], message, type: 'not_allowed' }];
  });
  if (fields.length > 0) throw new InvalidError(fields);
}

/**
 * Why an encoder cannot learn from these rows or be evaluated on them; null if it can use every one, since no row is
 * skipped silently.
 */
function whyUnfit({ heads, name, versionNumber, datasetType }: Labelled): string | null {
  const named = `names dataset ${JSON.stringify(name)}`;
  const keys = unlearnedKeys(heads);
  if (keys.length > 0) return `${named}, whose version ${versionNumber} ${unlearned(keys)}`;
  if (heads.includes('entities') || heads.includes('classification')) return null;
  return `${named} (${datasetType}), which has no rows with entities, label or labels; this model learns from those`;
}

/** Labels are stored on the job, and so in an event. */
function refuseTooManyLabels(labels: readonly string[]): void {
  if (labels.reduce((sum, label) => sum + label.length, 0) <= MAX_LABEL_CHARACTERS) return;
  throw new InvalidError({
    path: ['body', 'datasets'],
    message: `have ${labels.length} labels together, which is more than one model can have`,
    type: 'out_of_range',
  });
}

function together(claimed: readonly ClaimedVersion[]): ClaimedDatasets {
  const rowsWith = (head: Head) =>
    claimed.filter(({ heads }) => heads.includes(head)).reduce((sum, { rows }) => sum + rows, 0);
  const [entityRows, classRows] = [rowsWith('entities'), rowsWith('classification')];
  const union = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].toSorted();
  const entityLabels = union(claimed.map((each) => each.entityLabels));
  const classLabels = union(claimed.map((each) => each.classLabels));
  return {
    pins: claimed.map(pinOf),
    rows: claimed.reduce((sum, { rows }) => sum + rows, 0),
    taskType: entityRows > 0 ? (classRows > 0 ? 'multi_head' : 'ner') : 'classification',
    labels: union([entityLabels, classLabels]),
    multiLabel: claimed.some(({ multiLabel }) => multiLabel),
    classLabels,
    entityRows,
    classRows,
  };
}

const pinOf = ({ name, versionId, versionNumber, object, rows, heads }: ClaimedVersion): DatasetPin => ({
  name,
  versionId,
  versionNumber,
  object: { key: object.key, size: object.size, sha256: object.sha256 },
  rows,
  heads,
});
