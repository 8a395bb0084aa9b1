import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { ConflictError } from '#domain/errors.js';
import { exportIdOf, modelExportDecider, type ExportFormat } from '#domain/model-export/index.js';
import { fileNameOf, type FinishedJob } from '#domain/training-job/index.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { finishedJob } from '../finished-job.js';
import { ModelArchives } from '../model-archives.js';

const EXPIRES_IN_SECONDS = 3_600;

interface DownloadAsked {
  readonly jobId: string;
  /** Of a complete export; absent: the weights as stored. */
  readonly format?: ExportFormat;
}

interface Download {
  /** Accepts a GET without a key until it expires. */
  readonly url: string;
  readonly expiresInSeconds: number;
  readonly fileName: string;
}

export class GetDownload extends CallerQuery<DownloadAsked, Download> {}

/** Returns the address of the weights' archive, which is created on the first request; or of a complete export. */
@QueryHandler(GetDownload)
export class GetDownloadHandler implements IQueryHandler<GetDownload> {
  constructor(
    private readonly application: Application,
    private readonly archives: ModelArchives,
  ) {}

  async execute({ caller, input: { jobId, format } }: GetDownload): Promise<Download> {
    const job = await finishedJob(this.application, caller, jobId, 'downloaded');
    const { key, fileName } = format === undefined ? await this.weights(job) : await this.exported(job, format);
    const expiresInSeconds = EXPIRES_IN_SECONDS;
    const url = await this.application.ports.objectStore.presignGet(key, { expiresInSeconds, fileName });
    return { url, expiresInSeconds, fileName };
  }

  private async weights(job: FinishedJob): Promise<{ readonly key: string; readonly fileName: string }> {
    return { key: await this.archives.keyOf(job), fileName: `${fileNameOf(job.request)}.tar.gz` };
  }

  private async exported(
    { request }: FinishedJob,
    format: ExportFormat,
  ): Promise<{ readonly key: string; readonly fileName: string }> {
    const state = await this.application.load(modelExportDecider, exportIdOf(request.jobId, format));
    const ask = `PUT /felix/training-jobs/${request.jobId}/exports/${format}`;
    if (state.status === 'none') throw new ConflictError(`the model was not exported as ${format}: ${ask}`);
    if (state.status === 'failed')
      throw new ConflictError(`the export as ${format} failed: ${state.reason}; to try again: ${ask}`);
    if (state.status !== 'complete')
      throw new ConflictError(`the export as ${format} is ${state.status}; it can be downloaded once it is complete`);
    return { key: state.archive.key, fileName: `${fileNameOf(request)}-${format}.tar` };
  }
}
