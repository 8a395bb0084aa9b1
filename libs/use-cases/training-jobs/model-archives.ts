import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { modelKey } from '../audit/model-keys.js';
import { signatureOf } from '#audit/model-signature.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { fileNameOf, trainingJobDecider, type FinishedJob } from '#domain/training-job/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { archiveOf, DamagedWeightsError } from './archive.js';

/** Archives of finished jobs, each created once and kept beside its weights, so that both are removed together. */
@Injectable()
export class ModelArchives {
  /** Archives being made here. A process that makes the same one concurrently writes the same bytes. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  /**
   * @returns the archive's key in the object store
   * @throws ConflictError when the weights differ from the log's record
   * @throws NotFoundError when the job was deleted in the meantime
   */
  async keyOf(job: FinishedJob): Promise<string> {
    const key = `jobs/${job.request.jobId}/archive/model.tar.gz`;
    const { objectStore } = this.application.ports;
    if ((await objectStore.stat(key)) !== null) return key;
    const making =
      this.underWay.get(key) ??
      this.make(job, key).finally(() => {
        this.underWay.delete(key);
      });
    this.underWay.set(key, making);
    await making;
    return key;
  }

  private async make(job: FinishedJob, key: string): Promise<void> {
    const { objectStore } = this.application.ports;
    const { jobId } = job.request;
    const name = fileNameOf(job.request);
    const signature = signatureOf(name, job.artifact.files, await modelKey(this.application, this.secret));
    try {
      await objectStore.put(key, archiveOf(objectStore, job.artifact, name, signature));
    } catch (error) {
      await this.refuseDeleted(jobId, key);
      if (!(error instanceof DamagedWeightsError)) throw error;
      throw new ConflictError(`the weights of training job ${jobId} are damaged: ${error.message}`, { cause: error });
    }
    await this.refuseDeleted(jobId, key);
  }

  /** The job's files may have been removed before this archive was written. */
  private async refuseDeleted(jobId: string, key: string): Promise<void> {
    if ((await this.application.load(trainingJobDecider, jobId)).status !== 'deleted') return;
    await this.application.ports.objectStore.delete(key);
    throw new NotFoundError('training job', jobId);
  }
}
