import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { seenVersions } from '#application/datasets.js';
import type { Contents, DatasetVersion, LeftOut, RowErrors } from '#domain/dataset/index.js';
import { ConflictError, NotFoundError, UnavailableError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { inBytes, linesOf, UnreadableFileError, type RowsRead } from '#rows/formats/index.js';
import { ANY_ROWS, fileRows } from '#rows/processing/file-rows.js';
import { firstRows, type FirstRows, type Reading } from '#rows/processing/first-rows.js';
import { toleranceOf } from '#rows/processing/verdict.js';
import { MAX_PAGE_BYTES } from '../../calls/answer-budget.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { readingOf, type ReadingOrder } from '../commands/upload.js';
import { isTooLargeToPreview, Previews } from '../previews.js';
import type { NamedVersion } from '../seen-versions.js';

const DEFAULT_LIMIT = 10;
const MAX_SAMPLES = 3;

interface PreviewOrder extends NamedVersion, ReadingOrder {
  readonly limit?: number | null;
  readonly signal: AbortSignal;
}

interface LeftOutRow {
  readonly row: number;
  readonly reason: string;
  readonly data: Json;
}

/** The first rows of an uploaded file, as a version would have them. */
export interface PreviewedUpload {
  readonly rows: readonly JsonObject[];
  /** Columns of the file, with the first values of each. */
  readonly columns: readonly { readonly name: string; readonly values: readonly Json[] }[];
  readonly read: RowsRead;
  /** Why a version of these rows would fail; null: it would be ready. */
  readonly refused: string | null;
  readonly rowErrors: RowErrors | null;
  readonly contents: Contents | null;
  readonly leftOut: Omit<LeftOut, 'list'> | null;
  readonly leftOutRows: readonly LeftOutRow[];
}

export class PreviewUpload extends CallerQuery<PreviewOrder, PreviewedUpload> {}

@QueryHandler(PreviewUpload)
export class PreviewUploadHandler implements IQueryHandler<PreviewUpload> {
  constructor(
    private readonly application: Application,
    private readonly previews: Previews,
  ) {}

  /** @throws NotFoundError; ConflictError for a version that is processed, and before its file has come */
  async execute({ caller, input }: PreviewUpload): Promise<PreviewedUpload> {
    const { name, version: number, limit, signal, ...order } = input;
    const versions = await seenVersions(this.application, caller.workspaceId, name);
    const version = number === 'latest' ? versions.at(-1) : versions.find((each) => each.versionNumber === number);
    if (versions.length === 0) throw new NotFoundError('dataset', name);
    if (!version) throw new NotFoundError('dataset version', `${name}/${number}`);
    await this.requireUpload(version);
    const reading = { ...readingOf(version, order), fileName: version.fileName };
    const most = limit ?? DEFAULT_LIMIT;
    return this.previews.run(async (deadline) => {
      const either = AbortSignal.any([deadline, signal]);
      try {
        const [first, source] = await Promise.all([
          this.source(version).then((content) => firstRows(content, reading, either)),
          this.sourceRows(version, reading, most, either),
        ]);
        return { ...(await told(first, most, toleranceOf({ ...version, ...reading }))), columns: columnsOf(source) };
      } catch (error) {
        if (error instanceof ObjectNotFoundError) throw notUploaded(version);
        if (deadline.aborted || error instanceof ChildDiedError)
          throw new UnavailableError('the first rows took too long, or too much memory, to read; process the upload');
        throw error;
      }
    });
  }

  private async requireUpload(version: DatasetVersion): Promise<void> {
    const { name, versionNumber, status, uploadKey, fileName, format } = version;
    const subject = `version ${versionNumber} of dataset ${JSON.stringify(name)}`;
    if (status !== 'initialized')
      throw new ConflictError(`${subject} is ${status}; an upload is previewed before it is processed`);
    const uploaded = await this.application.ports.objectStore.stat(uploadKey);
    if (uploaded === null) throw notUploaded(version);
    if (isTooLargeToPreview(format === 'parquet' ? 'a.parquet' : (fileName ?? ''), uploaded.size))
      throw new ConflictError(
        `${subject} is a Parquet file of ${inBytes(uploaded.size)}, too large to preview; process it`,
      );
  }

  private source({ uploadKey }: DatasetVersion): Promise<AsyncIterable<Uint8Array>> {
    return this.application.ports.objectStore.get(uploadKey);
  }

  /** Rows with the names of the file. Those of a file that cannot be read are none: the reading says why. */
  private async sourceRows(version: DatasetVersion, { format, fileName }: Reading, limit: number, signal: AbortSignal) {
    const content = fileRows(fileName ?? '', await this.source(version), { ...ANY_ROWS, format }, signal);
    try {
      return await rowsOf(content, limit);
    } catch (error) {
      if (error instanceof UnreadableFileError) return [];
      throw error;
    }
  }
}

const notUploaded = ({ name, versionNumber }: DatasetVersion): ConflictError =>
  new ConflictError(
    `nothing has been uploaded to version ${versionNumber} of dataset ${JSON.stringify(name)} yet; PUT the file to its presigned_url first`,
  );

/** The first rows of JSONL, as many as fit an answer. */
async function rowsOf(content: AsyncIterable<Uint8Array>, limit: number): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  let bytes = 0;
  for await (const line of linesOf(content)) {
    const row = JSON.parse(line.toString()) as JsonObject | null;
    if (row !== null) rows.push(row);
    bytes += line.length;
    if (rows.length >= limit || bytes > MAX_PAGE_BYTES) break;
  }
  return rows;
}

function columnsOf(rows: readonly JsonObject[]): PreviewedUpload['columns'] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const values = rows.map((row) => row[name]).filter((value) => value !== undefined && value !== null);
    return { name, values: values.slice(0, MAX_SAMPLES) };
  });
}

async function told(
  { text, read = { rows: 0, isWhole: false }, verdict }: FirstRows,
  limit: number,
  tolerance: number,
): Promise<Omit<PreviewedUpload, 'columns'>> {
  const rows = await rowsOf(only(text), limit);
  if ('refused' in verdict) return { rows, read, ...verdict, contents: null, leftOut: null, leftOutRows: [] };
  const { contents, leftOut, lines } = verdict;
  const leftOutRows = (await rowsOf(only(lines), limit)) as unknown as readonly LeftOutRow[];
  return { rows, read, refused: tooMany(leftOut, tolerance), rowErrors: null, contents, leftOut, leftOutRows };
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Why a version would fail that may lack only a share of its rows. */
function tooMany(leftOut: Omit<LeftOut, 'list'> | null, tolerance: number): string | null {
  if (leftOut === null) return null;
  const wrong = leftOut.rows - leftOut.unlabelled;
  if (wrong <= tolerance * leftOut.of) return null;
  return `${wrong} of ${leftOut.of} rows are not valid, and at most ${tolerance * 100} of 100 may be left out; "on_error": "skip" leaves out all`;
}
