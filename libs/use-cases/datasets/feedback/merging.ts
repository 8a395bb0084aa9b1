import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { seenReadableVersion } from '#application/datasets.js';
import type { DatasetType, PinnedObject, ReadyVersion } from '#domain/dataset/index.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { feedbackRemovalDecider } from '#domain/feedback/index.js';
import { FeedbackMerges, type FeedbackRow, type MergedSource } from '#rows/merging/index.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { inferenceOf } from '#projections/inferences/queries.js';
import { tasksOfAnswers } from '#rows/formats/index.js';
import { documentOnLog } from '../../calls/call-on-log.js';
import { versionOf } from '../version-of.js';
import type { FeedbackOrder, MergedVersion } from './order.js';

const MAX_MERGED_BYTES = 256 * 1024 * 1024;

interface FeedbackToMerge {
  readonly rows: readonly FeedbackRow[];
  /** Rows that go to another dataset. */
  readonly heldOut: readonly FeedbackRow[];
  /** Persons whose calls give no row. */
  readonly excluded: ReadonlySet<string>;
}

interface MergedRows {
  readonly object: PinnedObject;
  readonly record: MergedVersion;
  readonly datasetType: DatasetType;
}

/** The version of `merge_with`, and its rows merged with feedback. */
@Injectable()
export class FeedbackMerging {
  private readonly merges = new FeedbackMerges();

  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  /** @throws NotFoundError, ConflictError, InvalidError */
  async base(
    workspaceId: string,
    { merge_with: name, merge_with_version: version }: FeedbackOrder,
  ): Promise<ReadyVersion | null> {
    if (!name && (version ?? null) !== null)
      throw refused('merge_with', 'is required with merge_with_version', 'missing');
    if (!name) return null;
    const base = await seenReadableVersion(this.application, { workspaceId, name, version: versionOf(version) });
    const { kind, datasetType, object } = base;
    const shown = `names ${JSON.stringify(name)},`;
    if (kind === 'benchmark')
      throw refused('merge_with', `${shown} a benchmark: models are evaluated on it, and do not learn from it`);
    if (datasetType !== 'ner' && datasetType !== 'classification')
      throw refused(
        'merge_with',
        `${shown} whose type is ${datasetType}; feedback gives rows of ner and classification`,
      );
    if (object.size > MAX_MERGED_BYTES)
      throw refused(
        'merge_with',
        `${shown} which has ${object.size} bytes, more than ${MAX_MERGED_BYTES}: leave it out, and merge with POST /felix/datasets/merge`,
        'out_of_range',
      );
    return base;
  }

  /** @throws InvalidError where feedback has labels of tasks, and the rows that it is merged with labels of none */
  requireFit({ name, contents }: ReadyVersion, rows: readonly FeedbackRow[]): void {
    if (!contents.heads.includes('classification') || contents.classTasks) return;
    const answers = rows.map(({ at: _, ...row }) => row);
    const tasks = tasksOfAnswers(answers, null);
    if (tasks === null) return;
    const [shown, labels] = [
      tasks.map((task) => JSON.stringify(task.name)).join(', '),
      contents.multiLabel ? 'labels' : 'label',
    ];
    throw refused(
      'merge_with',
      `names ${JSON.stringify(name)}, whose rows have ${labels} of no task, and the feedback has labels of the tasks ${shown}; leave ` +
        `merge_with out, or merge with a dataset whose rows have labels by task, as in {"labels": {${JSON.stringify(tasks[0]!.name)}: ...}}`,
    );
  }

  /** @throws ConflictError, DamagedError */
  async put(
    workspaceId: string,
    base: ReadyVersion,
    key: string,
    { rows, heldOut, excluded }: FeedbackToMerge,
  ): Promise<MergedRows> {
    const { name, versionNumber, versionId, contents } = base;
    const request = {
      ...{ workspaceId, base, rows, heldOut, excludesSome: excluded.size > 0 },
      sourceOf: (id: string) => this.sourceOf(workspaceId, id, excluded),
    };
    try {
      const { object, counts, conflicting, datasetType } = await this.merges.put(
        this.application.ports.objectStore,
        key,
        request,
      );
      const of = { dataset_id: versionId, dataset_name: name, version_number: String(versionNumber) };
      const record = { ...of, rows: contents.rows, ...counts, conflicting: [...conflicting] };
      return { object, record, datasetType };
    } catch (error) {
      if (!(error instanceof ChildDiedError)) throw error;
      throw new ConflictError(
        `feedback cannot be merged into dataset ${JSON.stringify(name)} version ${versionNumber}: ${error.message}`,
        { cause: error },
      );
    }
  }

  /** Source of a row: when its call was judged, and whether it gives no row. A call whose content was erased could be anybody's: it gives none. */
  private async sourceOf(workspaceId: string, id: string, excluded: ReadonlySet<string>): Promise<MergedSource> {
    const [verdicts, call] = await Promise.all([
      this.application.load(feedbackRemovalDecider, id),
      excluded.size === 0 ? null : this.call(workspaceId, id),
    ]);
    const isOfThem = typeof call?.subject === 'string' && excluded.has(call.subject);
    const latest = verdicts.at(-1);
    return {
      givenAt: latest?.workspaceId === workspaceId ? latest.at : null,
      isExcluded: isOfThem || call?.erasedAt !== undefined,
    };
  }

  private async call(workspaceId: string, inferenceId: string): Promise<InferenceDocument | null> {
    const known = await inferenceOf(this.application.ports.readStore, workspaceId, inferenceId);
    return (
      known && documentOnLog(this.application, this.secret, { inferenceId, workspaceId, position: known.position })
    );
  }
}

const refused = (field: string, message: string, type = 'not_allowed'): InvalidError =>
  new InvalidError({ path: ['body', field], message, type });
