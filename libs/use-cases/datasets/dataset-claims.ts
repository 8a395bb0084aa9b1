import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import {
  claimDatasetVersion,
  releaseDatasetClaim,
  seenReadableVersion,
  type Claimant,
  type PinnedRows as ClaimedVersion,
} from '#application/datasets.js';
import { TAKEN_STRUCTURE_NAMES, type ClassTask, type Head, type ReadyVersion } from '#domain/dataset/index.js';
import { InvalidError, type InvalidField } from '#domain/errors.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { InferHead } from '#gpu-runner/contract/schema.js';
import { allChecks } from '../all-checks.js';
import { mergedTasks, taskConflicts } from './class-tasks.js';

export interface DatasetRequest {
  readonly name: string;
  readonly version: number | 'latest';
  /** True: the dataset's texts are not trained on. */
  readonly isExcluded?: boolean;
  /** True: all rows of the dataset are held out. */
  readonly isHeldOut?: boolean;
}

type Use = Pick<DatasetRequest, 'isExcluded' | 'isHeldOut'>;
const use = ({ isExcluded = false, isHeldOut = false }: DatasetRequest): Use => ({ isExcluded, isHeldOut });

const MAX_LABEL_CHARACTERS = 150_000;

/**
 * The datasets of a job or an evaluation, combined: its figures about rows exclude datasets that are held out whole.
 */
export interface ClaimedDatasets {
  readonly pins: readonly DatasetPin[];
  /** Datasets whose texts are excluded from training. */
  readonly excluded: readonly DatasetPin[];
  readonly rows: number;
  /** `ner`, `classification`, `structures`, `relations`, or `multi_head` for several of them; `decoder` for chats. */
  readonly taskType: string;
  readonly labels: readonly string[];
  /** Also by rows that are held out. */
  readonly multiLabel: boolean;
  readonly classLabels: readonly string[];
  /** By name; empty if classes are of one task without a name. */
  readonly classTasks: readonly ClassTask[];
  /** Rows of the datasets that are labelled for this head, in part at least. */
  readonly entityRows: number;
  readonly classRows: number;
  readonly structureRows: number;
  readonly relationRows: number;
  /** The rows are pairs of answers. */
  readonly isPreferences: boolean;
}

/** A model to be trained on rows, or evaluated on them. */
interface ModelForRows {
  /** As the caller named it, or its base model. */
  readonly id: string;
  /** Heads that the model learns, or has. */
  readonly heads: readonly InferHead[];
  /** Whether it generates text, and so learns from chats. */
  readonly generates: boolean;
  /** Whether it can be given tools. */
  readonly takesTools: boolean;
  /** Whether it learns several classification tasks; asked of models that are to be trained. */
  readonly learnsTasks?: boolean;
}

/** Heads of rows, with their keys there, as models name them. */
const ROW_HEADS = [
  { head: 'entities', keys: ['entities'], of: 'entities' },
  { head: 'classification', keys: ['label', 'labels'], of: 'classifications' },
  { head: 'structures', keys: ['json_structures'], of: 'structures' },
  { head: 'relations', keys: ['relations'], of: 'relations' },
] as const;

/** Claims dataset versions for jobs and evaluations that are about to use them. */
@Injectable()
export class DatasetClaims {
  constructor(private readonly application: Application) {}

  /**
   * Checks before claiming, so that a missing dataset is reported before one that is not ready, and a refused request
   * claims nothing.
   * @throws NotFoundError, ConflictError, InvalidError as `claim`
   */
  async requireReadable(
    workspaceId: string,
    requests: readonly DatasetRequest[],
    claimant: Claimant['kind'],
  ): Promise<void> {
    const versions = await allChecks(...requests.map((request) => this.readable(workspaceId, request)));
    const used = versions.map((version, at) => ({ ...version, heads: version.contents.heads, ...use(requests[at]!) }));
    refuseUnfit(used, claimant);
    if (claimant === 'job') refuse(used, claimant, takenNameIn);
  }

  /** @throws NotFoundError, ConflictError as `requireReadable` */
  async sizeOf(
    workspaceId: string,
    requests: readonly DatasetRequest[],
  ): Promise<{ readonly rows: number; readonly bytes: number; readonly heads: ReadonlySet<Head> }> {
    const versions = await allChecks(...requests.map((request) => this.readable(workspaceId, request)));
    return {
      rows: versions.reduce((sum, { contents }) => sum + contents.rows, 0),
      bytes: versions.reduce((sum, { object }) => sum + object.size, 0),
      heads: new Set(versions.flatMap(({ contents }) => contents.heads)),
    };
  }

  private async readable(workspaceId: string, { name, version }: DatasetRequest): Promise<ReadyVersion> {
    return seenReadableVersion(this.application, { workspaceId, name, version });
  }

  /**
   * Claims all or, when one is refused, none.
   * @throws NotFoundError, ConflictError as `claimDatasetVersion`
   * @throws InvalidError two references are one version, or the rows are labelled for no head of an encoder, or for one that
   *   the model does not have
   */
  async claim(
    workspaceId: string,
    requests: readonly DatasetRequest[],
    model: ModelForRows,
    claimant: Claimant,
    context: CommandContext,
  ): Promise<ClaimedDatasets> {
    try {
      const claimed: (ClaimedVersion & Use)[] = [];
      for (const request of requests) {
        const asked = { workspaceId, ...request, claimant };
        claimed.push({ ...(await claimDatasetVersion(this.application, asked, context)), ...use(request) });
      }
      const rows = claimed.filter(({ isExcluded }) => !isExcluded);
      refuseDuplicates(rows);
      refuseUnfit(claimed, claimant.kind);
      refuseOtherKind(claimed, model, claimant.kind);
      refuseUnlearned(rows, model, claimant.kind);
      refuseMixed(claimed, claimant.kind);
      refuseTools(rows, model, claimant.kind);
      if (claimant.kind === 'job') refuseTasks(rows, model);
      const excluded = claimed.filter(({ isExcluded }) => isExcluded).map(pinOf);
      const learned = together(rows.filter(({ isHeldOut }) => !isHeldOut));
      const multiLabel = rows.some((each) => each.multiLabel);
      const datasets = { ...learned, multiLabel, pins: rows.map(pinOf), excluded };
      refuseTooManyLabels(datasets.labels);
      return datasets;
    } catch (error) {
      await this.release(workspaceId, requests, claimant, context);
      throw error;
    }
  }

  /** Releases the claims of a claimant that never began. A failure is harmless: claims expire within a minute. */
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

/** Of a version that was uploaded before such names were refused. */
function takenNameIn({ contents, isExcluded }: ReadyVersion & Use): string | null {
  const taken = contents.structures?.find(({ name }) => TAKEN_STRUCTURE_NAMES.includes(name));
  if (!taken || isExcluded) return null;
  return `has structures called ${JSON.stringify(taken.name)}, a name that answers have for something else; upload the rows with another`;
}

type Labelled = Pick<ClaimedVersion, 'name' | 'versionNumber' | 'datasetType' | 'heads'> & Use;

function refuseUnfit(versions: readonly Labelled[], claimant: Claimant['kind']): void {
  refuse(versions, claimant, ({ heads, name, datasetType }) =>
    hasChats(heads) || hasPairs(heads) || hasLabels(heads)
      ? null
      : `names dataset ${JSON.stringify(name)} (${datasetType}), which has no rows with ${KEYS_OF_ENCODERS}; encoders learn from those, and decoders from chats and pairs of answers`,
  );
}

/** Encoders learn from labelled texts, decoders from chats. */
function refuseOtherKind(
  versions: readonly Labelled[],
  { id, generates }: ModelForRows,
  claimant: Claimant['kind'],
): void {
  refuse(versions, claimant, ({ heads, name, datasetType }) => {
    if (generates ? hasChats(heads) || hasPairs(heads) : hasLabels(heads)) return null;
    const verb = claimant === 'job' ? 'learns from' : 'is measured on';
    const [kind, wanted] = generates
      ? ['a decoder', 'rows with messages, or with prompt, chosen and rejected']
      : ['an encoder', `rows with ${KEYS_OF_ENCODERS}`];
    return `names dataset ${JSON.stringify(name)} (${datasetType}), which has no such rows: ${id} is ${kind}, which ${verb} ${wanted}`;
  });
}

const KEYS_OF_ENCODERS = ROW_HEADS.flatMap(({ keys }) => keys).join(', ');
const hasChats = (heads: Labelled['heads']): boolean => heads.includes('messages');
const hasPairs = (heads: Labelled['heads']): boolean => heads.includes('preferences');
const hasLabels = (heads: Labelled['heads']): boolean => ROW_HEADS.some(({ head }) => heads.includes(head));

/** All heads of the rows must be the model's: nothing is left out in silence. */
function refuseUnlearned(versions: readonly Labelled[], model: ModelForRows, claimant: Claimant['kind']): void {
  refuse(versions, claimant, ({ heads, name, versionNumber }) => {
    const lacking = ROW_HEADS.filter(({ head, of }) => heads.includes(head) && !model.heads.includes(of));
    if (lacking.length === 0) return null;
    const keys = listed(lacking.flatMap(({ keys }) => keys));
    return `names dataset ${JSON.stringify(name)}, whose version ${versionNumber} has rows with ${keys}, which ${model.id} does not ${claimant === 'job' ? 'learn' : 'find'}; upload the rows without ${keys}`;
  });
}

/** A job learns answers, or which of two answers is better. */
function refuseMixed(versions: readonly Labelled[], claimant: Claimant['kind']): void {
  const [first] = versions;
  const kindOf = ({ heads }: Labelled) => (hasPairs(heads) ? 'pairs of answers' : 'chats');
  refuse(versions, claimant, (version) =>
    first === undefined || kindOf(version) === kindOf(first)
      ? null
      : `names dataset ${JSON.stringify(version.name)}, which has ${kindOf(version)}, and ${JSON.stringify(first.name)} has ${kindOf(first)}; train on the chats first, and then on the pairs with that job as base_model`,
  );
}

/** A chat template without tools shows neither them nor their calls. */
function refuseTools(
  versions: readonly (ClaimedVersion & Use)[],
  { id, takesTools }: ModelForRows,
  claimant: Claimant['kind'],
): void {
  refuse(versions, claimant, ({ name, versionNumber, hasTools }) =>
    takesTools || !hasTools
      ? null
      : `names dataset ${JSON.stringify(name)}, whose version ${versionNumber} has rows with tools, which ${id} does not take: its chat template has none; name a base model with tools, or upload the rows without them`,
  );
}

/** A task has one kind of labels in all datasets of a job, and a name that is no structure's. */
function refuseTasks(rows: readonly (ClaimedVersion & Use)[], { id, learnsTasks }: ModelForRows): void {
  refuse(rows, 'job', ({ name, classTasks }) =>
    classTasks.length > 0 && learnsTasks !== true
      ? `names dataset ${JSON.stringify(name)}, whose rows have labels of several tasks, which ${id} does not learn, only the built-in encoders and encoder packs; upload a dataset for each task`
      : null,
  );
  const conflicts = taskConflicts(rows);
  refuse(rows, 'job', (version) => conflicts[rows.indexOf(version)] ?? null);
}

const listed = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('');

function refuse<V extends Use>(
  versions: readonly V[],
  claimant: Claimant['kind'],
  why: (version: V) => string | null,
): void {
  const learned = versions.filter(({ isExcluded }) => !isExcluded).length;
  // Datasets whose texts are excluded come last.
  const pathAt = (index: number) =>
    index < learned ? ['datasets', index, 'name'] : ['exclude_texts_of', index - learned, 'name'];
  const fields = versions.flatMap((version, index): InvalidField[] => {
    const message = why(version);
    const path = claimant === 'job' ? pathAt(index) : ['dataset_name'];
    return message === null ? [] : [{ path: ['body', ...path], message, type: 'not_allowed' }];
  });
  if (fields.length > 0) throw new InvalidError(fields);
}

/** Labels are stored on the job, and so in an event. */
function refuseTooManyLabels(labels: readonly string[]): void {
  if (labels.reduce((sum, label) => sum + label.length, 0) <= MAX_LABEL_CHARACTERS) return;
  throw new InvalidError({
    path: ['body', 'datasets'],
    message: `have ${labels.length} labels together, more than a model can have`,
    type: 'out_of_range',
  });
}

function together(claimed: readonly ClaimedVersion[]): Omit<ClaimedDatasets, 'pins' | 'excluded' | 'multiLabel'> {
  const rowsWith = (head: Head) =>
    claimed.filter(({ heads }) => heads.includes(head)).reduce((sum, { rows }) => sum + rows, 0);
  const rowsOf = {
    ner: rowsWith('entities'),
    classification: rowsWith('classification'),
    structures: rowsWith('structures'),
    relations: rowsWith('relations'),
  };
  const [taskType = 'decoder', ...more] = Object.entries(rowsOf).flatMap(([task, rows]) => (rows > 0 ? [task] : []));
  const union = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].toSorted();
  const classLabels = union(claimed.map((each) => each.classLabels));
  return {
    rows: claimed.reduce((sum, { rows }) => sum + rows, 0),
    taskType: more.length > 0 ? 'multi_head' : taskType,
    labels: union(claimed.map((each) => each.labels)),
    classLabels,
    classTasks: mergedTasks(claimed.map((each) => each.classTasks)),
    entityRows: rowsOf.ner,
    classRows: rowsOf.classification,
    structureRows: rowsOf.structures,
    relationRows: rowsOf.relations,
    isPreferences: claimed.some(({ heads }) => hasPairs(heads)),
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
