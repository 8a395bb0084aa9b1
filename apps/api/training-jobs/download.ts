import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { trainingJobDecider, type FinishedJob } from '#domain/training-job/index.js';
import { CallerQuery } from '../messages.js';
import { directoryOf, ModelArchives } from './model-archives.js';

const EXPIRES_IN_SECONDS = 3_600;

export class GetDownload extends CallerQuery<string, JsonObject> {}

/** Returns the address of the weights' archive, which is made on the first request. */
@QueryHandler(GetDownload)
export class GetDownloadHandler implements IQueryHandler<GetDownload> {
  constructor(
    private readonly application: Application,
    private readonly archives: ModelArchives,
  ) {}

  async execute({ caller, input: jobId }: GetDownload): Promise<JsonObject> {
    const job = await this.finished(caller, jobId);
    const key = await this.archives.keyOf(job);
    const fileName = `${directoryOf(job)}.tar.gz`;
    const expiresInSeconds = EXPIRES_IN_SECONDS;
    const url = await this.application.ports.objectStore.presignGet(key, { expiresInSeconds, fileName });
    return {
      success: true,
      job_id: jobId,
      download_url: url,
      expires_in_seconds: expiresInSeconds,
      file_name: fileName,
    };
  }

  /** Reads the log itself, in which the artifact exists as soon as it says so. */
  private async finished({ workspaceId }: Caller, jobId: string): Promise<FinishedJob> {
    const job = await this.application.load(trainingJobDecider, jobId);
    if (job.status === 'none' || job.status === 'deleted' || job.request.workspaceId !== workspaceId)
      throw new NotFoundError('training job', jobId);
    if (job.status !== 'complete' && job.status !== 'deployed')
      throw new ConflictError(
        `training job ${jobId} is ${job.status}; its weights can be downloaded once it is complete`,
      );
    return job;
  }
}
