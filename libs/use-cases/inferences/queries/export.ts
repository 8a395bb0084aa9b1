import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import type { Caller } from '#application/caller.js';
import { ParquetExport, withoutFormulas, writeCsv } from '#rows/formats/index.js';
import { ConflictError, UnavailableError } from '#domain/errors.js';
import { TOKENS } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import type { InferenceFilters } from '../filters.js';
import { History } from '../history.js';
import { RecordReader } from '../record-reader.js';
import { isInObject } from '../../calls/whole-content.js';

/** Calls that are in memory at once. */
export const EXPORT_PAGE = 100;

/** The columns of a table of calls. */
export const EXPORT_COLUMNS = [
  ...['id', 'created_at', 'status', 'error_type', 'error_message', 'task', 'model_id', 'model_name', 'model_version'],
  ...[
    'base_model',
    'training_job_id',
    'project_id',
    'user_id',
    'key_id',
    'source',
    'format',
    'latency_ms',
    'ttft_ms',
    'tokens',
  ],
  ...TOKENS.map(({ countField }) => countField),
  ...['cost', 'input', 'output'],
  ...['human_verdict', 'human_corrected_output', 'human_feedback_notes', 'human_feedback_at'],
  ...['human_feedback_by', 'verdicts', 'shadow_of', 'erased_at'],
  ...['dropped_fields', 'imported', 'truncated_fields', 'provider', 'cascade', 'content_withheld'],
];
const JSON_COLUMNS = [
  'input',
  'output',
  'human_corrected_output',
  'verdicts',
  'dropped_fields',
  'imported',
  'truncated_fields',
  'provider',
  'cascade',
];

interface ExportOrder extends InferenceFilters {
  /** Default: jsonl. */
  readonly format?: 'jsonl' | 'csv' | 'parquet';
}

/** A file of recorded calls, newest first: the records of the list, each with its key and with the verdicts of all reviewers. */
export class ExportInferences extends Query<Readable> {
  constructor(
    readonly caller: Caller,
    readonly order: ExportOrder,
    /** Aborts when the client has disconnected. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@QueryHandler(ExportInferences)
export class ExportInferencesHandler implements IQueryHandler<ExportInferences> {
  private readonly parquet = new ParquetExport();

  constructor(
    private readonly history: History,
    private readonly reader: RecordReader,
  ) {}

  /** @throws NotFoundError; ConflictError for calls that cannot be a Parquet file */
  async execute({ caller, order: { format = 'jsonl', ...filters }, signal }: ExportInferences): Promise<Readable> {
    // Read before the first byte: a later error could only break the connection.
    const first = await this.page(caller, filters);
    const rows = this.rows(caller, filters, first);
    if (format === 'csv') return Readable.from(writeCsv(rows, EXPORT_COLUMNS, 'ner', withoutFormulas));
    if (format === 'jsonl') return Readable.from(lines(rows));
    return this.asParquet(rows, caller.workspaceId, signal);
  }

  private page(caller: Caller, filters: InferenceFilters, last?: InferenceDocument) {
    const place = { limit: EXPORT_PAGE, offset: 0, ...(last && { cursor: last.id }) };
    return this.history.page(caller, { ...filters, ...place });
  }

  /** A page at a time, each when it is wanted. */
  private async *rows(
    caller: Caller,
    filters: InferenceFilters,
    first: Awaited<ReturnType<History['page']>>,
  ): AsyncGenerator<JsonObject> {
    for (let page = first; ;) {
      const { documents, hasMore } = page;
      const listed = await this.reader.list(documents);
      for (const [at, document] of documents.entries()) {
        const { whole, feedback } = document;
        // Larger contents stay cut, as in lists: nothing large is held in memory.
        const isCut = (whole !== null && !isInObject(whole)) || (whole === null && feedback?.whole);
        const record = isCut ? await this.reader.whole(document) : listed[at]!;
        yield { ...record, key_id: document.keyId, ...(feedback && (await this.reader.reviews(document))) };
      }
      if (!hasMore) return;
      await ownTurn();
      page = await this.page(caller, filters, documents.at(-1));
    }
  }

  private async asParquet(rows: AsyncIterable<JsonObject>, workspaceId: string, signal: AbortSignal) {
    try {
      const { content } = await this.parquet.make(lines(flat(rows)), EXPORT_COLUMNS, workspaceId, signal);
      return content;
    } catch (error) {
      if (signal.aborted) throw new UnavailableError('the client closed the connection');
      if (!(error instanceof ChildDiedError)) throw error;
      throw new ConflictError(`these calls cannot be written as Parquet: ${error.message}; ask for format=jsonl`);
    }
  }
}

/** JSON as text: a column has one type for all calls. */
async function* flat(rows: AsyncIterable<JsonObject>): AsyncGenerator<JsonObject> {
  for await (const row of rows) {
    const texts = JSON_COLUMNS.flatMap((name) => (row[name] == null ? [] : [[name, JSON.stringify(row[name])]]));
    yield { ...row, ...(Object.fromEntries(texts) as JsonObject) };
  }
}

async function* lines(rows: AsyncIterable<JsonObject>): AsyncGenerator<Buffer> {
  for await (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}
