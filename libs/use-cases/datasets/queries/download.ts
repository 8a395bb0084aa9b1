import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Application } from '#application/application.js';
import { seenReadableVersion } from '#application/datasets.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import {
  areNames,
  EXPORT_SHAPE_NAMES,
  EXPORT_SHAPES,
  leftOutOf,
  ParquetExport,
  storedRows,
  writeCsv,
  writeShape,
  type ExportShape,
} from '#rows/formats/index.js';
import type { PinnedObject, ReadyVersion } from '#domain/dataset/index.js';
import { ConflictError, UnavailableError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import type { ByteRange, ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import { CallerQuery } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';
import { damagedRows, requireWholeRows } from '../whole-rows.js';

/** The stored rows, or a file generated from them for each answer. */
type DownloadedRows = {
  readonly mediaType: string;
  readonly fileName: string;
  /** The parts that the format cannot hold, in words. */
  readonly leftOut: readonly string[];
} & ({ readonly stored: StoredRows } | { readonly made: MadeFile });

interface StoredRows {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly read: (range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
}

interface MadeFile {
  readonly content: Readable;
  /** Bytes; null when they are not known before. */
  readonly size: number | null;
}

/** The stored rows, tables of them, and the shapes of other tools. */
export const DOWNLOAD_FORMATS = ['jsonl', 'csv', 'parquet', ...EXPORT_SHAPE_NAMES] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

interface Download extends NamedVersion {
  readonly format: DownloadFormat;
  /** Only what the file is: none is made. */
  readonly isHead: boolean;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

export class DownloadRows extends CallerQuery<Download, DownloadedRows> {}

const MEDIA_TYPES = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** The rows of the file that a version lacks, the first of them, each with its number and the reason. */
export class DownloadLeftOut extends CallerQuery<NamedVersion, DownloadedRows & { readonly stored: StoredRows }> {}

@QueryHandler(DownloadLeftOut)
export class DownloadLeftOutHandler implements IQueryHandler<DownloadLeftOut> {
  constructor(private readonly application: Application) {}

  /** Empty where no row was left out. @throws NotFoundError; DamagedError; ConflictError naming the state */
  async execute({ caller, input }: DownloadLeftOut): Promise<DownloadedRows & { readonly stored: StoredRows }> {
    const version = await seenReadableVersion(this.application, { ...input, workspaceId: caller.workspaceId });
    const { objectStore } = this.application.ports;
    const list = version.leftOut?.list;
    if (list) await requireWholeRows(objectStore, { ...version, object: list });
    return {
      mediaType: MEDIA_TYPES.jsonl,
      fileName: `${input.name}-v${version.versionNumber}-left-out.jsonl`,
      leftOut: [],
      stored: list ? storedRowsOf(objectStore, version, list) : NONE,
    };
  }
}

const NONE: StoredRows = {
  size: 0,
  sha256: createHash('sha256').digest('hex'),
  read: () => Promise.resolve(Readable.from([])),
};

function storedRowsOf(store: ObjectStore, version: ReadyVersion, { key, size, sha256 }: PinnedObject): StoredRows {
  const damaged = () => damagedRows(version, { isMissing: false });
  const read = async (range?: ByteRange) => {
    const rows = await store.get(key, range);
    // A part has no hash.
    return range ? rows : verified(rows, sha256, damaged);
  };
  return { size, sha256, read };
}

@QueryHandler(DownloadRows)
export class DownloadRowsHandler implements IQueryHandler<DownloadRows> {
  private readonly parquet = new ParquetExport();

  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; DamagedError; ConflictError naming the state, or why its rows are no table */
  async execute({ caller, input }: DownloadRows): Promise<DownloadedRows> {
    const { name, format, isHead, signal } = input;
    const version = await seenReadableVersion(this.application, { ...input, workspaceId: caller.workspaceId });
    const { objectStore } = this.application.ports;
    const { key } = version.object;
    // Checked before the first byte: a later error could only break the connection.
    await requireWholeRows(objectStore, version);
    if (format !== 'jsonl' && format !== 'csv' && format !== 'parquet')
      return this.inShape(version, EXPORT_SHAPES[format], signal);
    const file = {
      mediaType: MEDIA_TYPES[format],
      fileName: `${name}-v${version.versionNumber}.${format}`,
      leftOut: [],
    };
    if (format === 'jsonl') return { ...file, stored: storedRowsOf(objectStore, version, version.object) };
    const columns = columnsOf(version, format);
    if (isHead) return { ...file, made: { content: Readable.from([]), size: null } };
    if (format === 'parquet') return { ...file, made: await this.asParquet(version, columns, signal) };
    const content = Readable.from(writeCsv(storedRows(objectStore, key), columns, version.datasetType));
    return { ...file, made: { content, size: null } };
  }

  /** The rows are read twice: omissions are reported before the first byte. */
  private async inShape(version: ReadyVersion, shape: ExportShape, signal: AbortSignal): Promise<DownloadedRows> {
    const { name, versionNumber, contents, object } = version;
    if (!contents.heads.some((head) => shape.heads.includes(head)))
      throw new ConflictError(
        `this format holds only ${shape.heads.join(', ')}, and dataset ${name} has none; ask for format=jsonl`,
      );
    const rows = () => storedRows(this.application.ports.objectStore, object.key);
    const leftOut = await leftOutOf(untilGone(rows(), signal), shape, contents);
    return {
      mediaType: shape.mediaType,
      fileName: `${name}-v${versionNumber}.${shape.ending}`,
      leftOut,
      made: { content: Readable.from(writeShape(rows(), shape, contents)), size: null },
    };
  }

  private async asParquet(
    { name, object, workspaceId }: ReadyVersion,
    columns: readonly string[],
    signal: AbortSignal,
  ) {
    try {
      return await this.parquet.open(this.application.ports.objectStore, object.key, columns, workspaceId, signal);
    } catch (error) {
      if (signal.aborted) throw new UnavailableError('the client closed the connection');
      if (!(error instanceof ChildDiedError)) throw error;
      throw new ConflictError(`dataset ${name} cannot be written as Parquet: ${error.message}; ask for format=jsonl`);
    }
  }
}

async function* untilGone(rows: AsyncIterable<JsonObject>, signal: AbortSignal): AsyncGenerator<JsonObject> {
  for await (const row of rows) {
    if (signal.aborted) throw new UnavailableError('the client closed the connection');
    yield row;
  }
}

function columnsOf({ name, contents: { columns } }: ReadyVersion, format: 'csv' | 'parquet'): readonly string[] {
  const instead = 'ask for format=jsonl';
  if (!columns || columns.length === 0) {
    const which = columns ? 'no columns' : columns === null ? 'too many columns' : 'no list of its columns';
    throw new ConflictError(`dataset ${name} has ${which} for ${format}; ${instead}`);
  }
  if (format === 'parquet' && !areNames(columns))
    throw new ConflictError(
      `dataset ${name} has more than 200 columns, or column names that are empty or differ only in their case; ${instead}`,
    );
  return columns;
}
