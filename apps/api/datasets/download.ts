import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import { Application } from '#application/application.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { areNames, ParquetExport, storedRows, writeCsv } from '#dataset-formats/index.js';
import type { ReadyVersion, VersionRequest } from '#domain/dataset/index.js';
import { ConflictError, UnavailableError } from '#domain/errors.js';
import { verified } from '#ports/object-store/verified.js';
import { GetReadableVersion, GetReadableVersionHandler } from './queries.js';
import { damagedRows, requireWholeRows } from './whole-rows.js';

type DownloadFormat = 'jsonl' | 'csv' | 'parquet';

interface DownloadedFile {
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
    readonly format: DownloadFormat,
    /** Aborts when nobody waits for the file any more. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

const MEDIA_TYPES = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

@QueryHandler(DownloadRows)
export class DownloadRowsHandler implements IQueryHandler<DownloadRows> {
  private readonly parquet = new ParquetExport();

  constructor(
    private readonly application: Application,
    private readonly versions: GetReadableVersionHandler,
  ) {}

  /** @throws NotFoundError; DamagedError; ConflictError naming the state, or why its rows are no table */
  async execute({ workspaceId, name, requested, format, signal }: DownloadRows): Promise<DownloadedFile> {
    const version = await this.versions.execute(new GetReadableVersion(workspaceId, name, requested));
    const { objectStore } = this.application.ports;
    const { key, size, sha256 } = version.object;
    // Checked before the first byte: a later error could only break the connection.
    await requireWholeRows(objectStore, version);
    const file = { mediaType: MEDIA_TYPES[format], fileName: `${name}-v${version.versionNumber}.${format}` };
    if (format === 'jsonl') {
      const rows = verified(await objectStore.get(key), sha256, () => damagedRows(version, { isMissing: false }));
      return { ...file, content: Readable.from(rows), size };
    }
    const columns = columnsOf(version, format);
    if (format === 'parquet') return { ...file, ...(await this.asParquet(version, columns, signal)) };
    const content = Readable.from(writeCsv(storedRows(objectStore, key), columns, version.datasetType));
    return { ...file, content, size: null };
  }

  private async asParquet(
    { name, object, workspaceId }: ReadyVersion,
    columns: readonly string[],
    signal: AbortSignal,
  ) {
    try {
      return await this.parquet.open(this.application.ports.objectStore, object.key, columns, workspaceId, signal);
    } catch (error) {
      if (signal.aborted) throw new UnavailableError('the client has gone');
      if (!(error instanceof ChildDiedError)) throw error;
      throw new ConflictError(`dataset ${name} cannot be written as Parquet: ${error.message}; ask for format=jsonl`);
    }
  }
}

function columnsOf({ name, contents: { columns } }: ReadyVersion, format: DownloadFormat): readonly string[] {
  const instead = 'ask for format=jsonl';
  if (columns === null || columns.length === 0)
    throw new ConflictError(`dataset ${name} has ${columns ? 'no' : 'too many'} columns for ${format}; ${instead}`);
  if (format === 'parquet' && !areNames(columns))
    throw new ConflictError(
      `dataset ${name} has more than 200 columns, or some whose names a table cannot tell apart (by their case alone, or empty); ${instead}`,
    );
  return columns;
}
