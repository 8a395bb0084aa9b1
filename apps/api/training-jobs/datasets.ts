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
import type { Head, ReadyVersion } from '#domain/dataset/index.js';
import { InvalidError } from '#domain/errors.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import { allChecks } from '../errors/index.js';

export interface DatasetRequest {
  readonly name: string;
  readonly version: number | 'latest';
}

const MOST_LABEL_CHARACTERS = 150_000;

/** What the datasets of a job or an evaluation are together. */
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
   * Looks before claiming, so that a dataset that is missing is told before another that is not ready.
   * @throws NotFoundError, ConflictError as `claim`
   */
  async requireReadable(workspaceId: string, requests: readonly DatasetRequest[]): Promise<void> {
    await allChecks(...requests.map((request) => this.readable(workspaceId, request)));
  }

  private async readable(workspaceId: string, { name, version }: DatasetRequest): Promise<ReadyVersion> {
    return seenReadableVersion(this.application, { workspaceId, name, version });
  }

  /**
   * Claims all or, when one is refused, none.
   * @throws NotFoundError, ConflictError as `claimDatasetVersion`
   * @throws InvalidError two references are one version, or the rows are labelled for no head of an encoder
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
      refuseUnlabelled(claimed);
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

function refuseUnlabelled(claimed: readonly ClaimedVersion[]): void {
  claimed.forEach(({ heads, name, datasetType }, index) => {
    if (!heads.includes('entities') && !heads.includes('classification'))
      throw new InvalidError({
        path: ['body', 'datasets', index],
        message: `dataset ${JSON.stringify(name)} (${datasetType}) has no rows with entities, label or labels, which this model learns from`,
        type: 'not_allowed',
      });
  });
}

/** They stand on the job, and so in an event. */
function refuseTooManyLabels(labels: readonly string[]): void {
  if (labels.reduce((sum, label) => sum + label.length, 0) <= MOST_LABEL_CHARACTERS) return;
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
