import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { BatchEvent } from '#domain/batch/index.js';
import type { DatasetEvent, GenerationType, PinnedObject, VersionInitialized } from '#domain/dataset/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import type { Recorded } from '../events/log-reader.js';

type Job = LearnedFrom['jobs'][number] & { readonly models: string[] };
type Followed = Recorded<BatchEvent | DatasetEvent | TrainingJobEvent | EvaluationEvent | ModelEvent>;

/** A version with rows that are followed. */
export interface Version {
  readonly version_id: string;
  readonly name: string;
  readonly version: number;
}

export interface LearnedFrom {
  /** Versions with rows that derive from the data. */
  readonly dataset_versions: readonly Version[];
  /** Training jobs that learned from those rows. */
  readonly jobs: readonly {
    readonly job_id: string;
    readonly model_name: string;
    /** Named versions of its model, such as `tickets@3`. */
    readonly models: readonly string[];
  }[];
}

export interface Handed {
  readonly learned: LearnedFrom;
  /** Copies that are still stored. */
  readonly remains: readonly string[];
  /** Dataset versions among them. */
  readonly stored: readonly Version[];
}

const TYPES: readonly Followed['type'][] = [
  'dataset-version-initialized.v1',
  'dataset-version-sealed.v1',
  'dataset-version-merge-requested.v1',
  'dataset-version-purged.v1',
  'dataset-version-pushed.v1',
  'batch-requested.v1',
  'evaluation-requested.v1',
  'evaluation-deleted.v1',
  'evaluation-predictions-erased.v1',
  'training-job-requested.v1',
  'model-version-added.v1',
];

/** Rows of these name the calls that they were made of. */
const NAME_CALLS: ReadonlySet<GenerationType> = new Set(['feedback', 'batch', 'distilled']);

/**
 * Finds where texts were copied: into dataset versions, versions merged from those, their evaluations and training
 * jobs.
 */
@Injectable()
export class Learned {
  constructor(private readonly application: Application) {}

  /**
   * Versions and models with rows of a call's feedback, or of the answers of its batch.
   * @param erased versions that had them and whose files were removed
   */
  ofCall(workspaceId: string, inferenceId: string, erased: readonly string[]): Promise<Handed> {
    return this.follow(workspaceId, async ({ versionId, generationType }, source) => {
      if (erased.includes(versionId)) return true;
      return NAME_CALLS.has(generationType) && this.names(source, inferenceId);
    });
  }

  /** Versions and models that have rows of a dataset version, without that version. */
  async ofVersion(workspaceId: string, versionId: string): Promise<Handed> {
    const { learned, ...handed } = await this.follow(workspaceId, null, versionId);
    const others = learned.dataset_versions.filter((version) => version.version_id !== versionId);
    return { learned: { ...learned, dataset_versions: others }, ...handed };
  }

  /**
   * Reads the events that copy rows once, in the order of the log: a version always precedes its copies.
   * @param isSource whether the rows stored for a version are followed; null: those of `first` are
   */
  private async follow(
    workspaceId: string,
    isSource: ((made: VersionInitialized, source: PinnedObject) => Promise<boolean>) | null,
    first?: string,
  ): Promise<Handed> {
    const made = new Map<string, VersionInitialized>();
    const versions = new Map<string, Version>();
    const jobs = new Map<string, Job>();
    const stored = new Map<string, string>();
    const inputs = new Map<string, string>();
    const learn = (versionId: string) => {
      const { name, versionNumber: version } = made.get(versionId)!;
      versions.set(versionId, { version_id: versionId, name, version });
      stored.set(versionId, `rows of version ${version} of dataset ${name}`);
    };
    for await (const recorded of this.application.ports.eventStore.readAll({ filter: { types: TYPES } })) {
      if (recorded.metadata.workspaceId !== workspaceId) continue;
      const { type, data } = recorded as unknown as Followed;
      if (type === 'dataset-version-initialized.v1') {
        made.set(data.versionId, data);
        if (data.versionId === first || versions.has(data.mergedWith?.versionId ?? '')) learn(data.versionId);
      } else if (type === 'dataset-version-sealed.v1') {
        const version = made.get(data.versionId);
        if (!version || !isSource || !(await isSource(version, data.source))) continue;
        learn(data.versionId);
        // The requests of a batch are in the file that it was made from.
        const input = inputs.get(version.name);
        if (input !== undefined && made.has(input)) learn(input);
      } else if (type === 'dataset-version-merge-requested.v1') {
        if (data.sources.some(({ versionId }) => versions.has(versionId))) learn(data.versionId);
      } else if (type === 'dataset-version-purged.v1') stored.delete(data.versionId);
      else if (type === 'dataset-version-pushed.v1') {
        if (versions.has(data.versionId)) stored.set(data.pushId, `commit ${data.commit} of ${data.url}`);
      } else if (type === 'batch-requested.v1') {
        for (const what of ['output', 'errors']) inputs.set(`batch-${data.batchId}-${what}`, data.input.versionId);
      } else if (type === 'evaluation-requested.v1') {
        if (data.datasets.some(({ versionId }) => versions.has(versionId)))
          stored.set(data.evaluationId, `predictions of evaluation ${data.evaluationId}`);
      } else if (type === 'evaluation-deleted.v1' || type === 'evaluation-predictions-erased.v1')
        stored.delete(data.evaluationId);
      else if (type === 'training-job-requested.v1') {
        const { datasets, startFrom, jobId, modelName } = data;
        if (datasets.some(({ versionId }) => versions.has(versionId)) || (startFrom && jobs.has(startFrom.jobId)))
          jobs.set(jobId, { job_id: jobId, model_name: modelName, models: [] });
      } else if (type === 'model-version-added.v1' && data.trainingJobId !== null)
        jobs.get(data.trainingJobId)?.models.push(`${data.name}@${data.version}`);
    }
    const learned = { dataset_versions: [...versions.values()], jobs: [...jobs.values()] };
    return {
      learned,
      remains: [...stored.values()],
      stored: [...versions.values()].filter(({ version_id: id }) => stored.has(id)),
    };
  }

  /**
   * Whether rows of feedback, or lines of a batch, name the call. The end of the last piece is kept, to find an id that
   * crosses pieces.
   */
  private async names({ key }: PinnedObject, inferenceId: string): Promise<boolean> {
    try {
      let end = '';
      for await (const piece of await this.application.ports.objectStore.get(key)) {
        const text = end + Buffer.from(piece).toString('latin1');
        if (text.includes(inferenceId)) return true;
        end = text.slice(-inferenceId.length);
      }
    } catch (error) {
      if (!(error instanceof ObjectNotFoundError)) throw error;
    }
    return false;
  }
}
