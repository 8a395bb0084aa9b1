import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import { Application } from '#application/application.js';
import { storedRows, writeCsv } from '#dataset-formats/index.js';
import type { VersionRequest } from '#domain/dataset/index.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { GetReadableVersion, GetReadableVersionHandler } from './queries.js';

export interface DownloadedFile {
  readonly content: Readable;
  /** Bytes, null when they are not known before. */
  readonly size: number | null;
  readonly mediaType: string;
  readonly fileName: string;
}

export class DownloadRows extends Query<DownloadedFile> {
  constructor(
    readonly workspaceId: string,
    readonly name: string,
    readonly requested: VersionRequest,
    readonly format: 'jsonl' | 'csv' | 'parquet',
  ) {
    super();
  }
}

@QueryHandler(DownloadRows)
export class DownloadRowsHandler implements IQueryHandler<DownloadRows> {
  constructor(
    private readonly application: Application,
    private readonly versions: GetReadableVersionHandler,
  ) {}

  /** @throws InvalidError for a format that is not written yet, NotFoundError, ConflictError */
  async execute({ workspaceId, name, requested, format }: DownloadRows): Promise<DownloadedFile> {
    if (format === 'parquet')
      throw new InvalidError({
        path: ['query', 'format'],
        message: 'parquet is not supported yet; ask for jsonl or csv',
        type: 'not_allowed',
      });
    const version = await this.versions.execute(new GetReadableVersion(workspaceId, name, requested));
    const { objectStore } = this.application.ports;
    const { key, size } = version.object;
    const fileName = `${name}-v${version.versionNumber}.${format}`;
    if (format === 'jsonl') {
      const content = Readable.from(await objectStore.get(key));
      return { content, size, mediaType: 'application/x-ndjson; charset=utf-8', fileName };
    }
    const { columns } = version.contents;
    if (columns === null) throw new ConflictError(`dataset ${name} has too many columns for CSV; ask for format=jsonl`);
    const content = Readable.from(writeCsv(storedRows(objectStore, key), columns, version.datasetType));
    return { content, size: null, mediaType: 'text/csv; charset=utf-8', fileName };
  }
}
