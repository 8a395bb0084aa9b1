import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { DatasetEvent, PinnedObject } from '#domain/dataset/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import type { Recorded } from '../lineage/log-reader.js';
import type { ErasureCertificate } from './erasure-dto.js';

type LearnedFrom = ErasureCertificate['learned'];
type Version = LearnedFrom['dataset_versions'][number];
type Job = Pick<LearnedFrom['jobs'][number], 'job_id' | 'model_name'> & { readonly models: string[] };

const TYPES = [
  'dataset-version-initialized.v1',
  'dataset-version-sealed.v1',
  'dataset-version-merge-requested.v1',
  'training-job-requested.v1',
  'model-version-added.v1',
];

/** Finds what was trained on a call: dataset versions that hold its feedback, versions merged from those, and their training jobs. */
@Injectable()
export class Learned {
  constructor(private readonly application: Application) {}

  /** Reads the events that copy rows once, in the order of the log: a version is always written before what is made from it. */
  async from(workspaceId: string, inferenceId: string): Promise<LearnedFrom> {
    const made = new Map<string, Version & { readonly isOfFeedback: boolean }>();
    const versions = new Map<string, Version>();
    const jobs = new Map<string, Job>();
    const learn = (versionId: string) => {
      const { isOfFeedback: _, ...version } = made.get(versionId)!;
      versions.set(versionId, version);
    };
    for await (const recorded of this.application.ports.eventStore.readAll({ filter: { types: TYPES } })) {
      if (recorded.metadata.workspaceId !== workspaceId) continue;
      const { type, data } = recorded as unknown as Recorded<DatasetEvent | TrainingJobEvent | ModelEvent>;
      if (type === 'dataset-version-initialized.v1') {
        const { versionId, name, versionNumber: version, generationType } = data;
        made.set(versionId, { version_id: versionId, name, version, isOfFeedback: generationType === 'feedback' });
      } else if (type === 'dataset-version-sealed.v1') {
        if (made.get(data.versionId)?.isOfFeedback && (await this.names(data.source, inferenceId)))
          learn(data.versionId);
      } else if (type === 'dataset-version-merge-requested.v1') {
        if (data.sources.some(({ versionId }) => versions.has(versionId))) learn(data.versionId);
      } else if (type === 'training-job-requested.v1') {
        const { datasets, startFrom, jobId, modelName } = data;
        if (datasets.some(({ versionId }) => versions.has(versionId)) || (startFrom && jobs.has(startFrom.jobId)))
          jobs.set(jobId, { job_id: jobId, model_name: modelName, models: [] });
      } else if (type === 'model-version-added.v1' && data.trainingJobId !== null)
        jobs.get(data.trainingJobId)?.models.push(`${data.name}@${data.version}`);
    }
    return { dataset_versions: [...versions.values()], jobs: [...jobs.values()] };
  }

  /** Whether rows of feedback name the call. An id is found across pieces by the end of the piece before. */
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
