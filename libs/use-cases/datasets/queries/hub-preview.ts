import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { basename } from 'node:path/posix';
import { ANY_ROWS, fileRows, type RowsMeant } from '#rows/processing/file-rows.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { inBytes, labelNamesOf, LineSplitter, UnreadableFileError } from '#rows/formats/index.js';
import type { HubSource } from '#domain/dataset/index.js';
import { InvalidError, UnavailableError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { MAX_PAGE_BYTES } from '../../calls/answer-budget.js';
import { HubConnection } from '../hub-connection.js';
import { isTooLargeToPreview, Previews } from '../previews.js';
import { hubRequest, type HubRowsOrder } from '../hub-rows.js';

const DEFAULT_LIMIT = 10;

interface HubRows {
  readonly rows: readonly JsonObject[];
  /** Null: not all were read. */
  readonly total: number | null;
  readonly columns: readonly string[];
}

interface HubPreviewOrder extends HubRowsOrder {
  readonly limit?: number | null;
}

export class PreviewFromHub extends Query<HubRows> {
  constructor(readonly input: HubPreviewOrder) {
    super();
  }
}

@QueryHandler(PreviewFromHub)
export class PreviewFromHubHandler implements IQueryHandler<PreviewFromHub> {
  constructor(
    private readonly connection: HubConnection,
    private readonly previews: Previews,
  ) {}

  /** @throws NotFoundError, InvalidError naming the field, UnavailableError */
  async execute({ input: body }: PreviewFromHub): Promise<HubRows> {
    const { source, features } = await this.connection.hub.find(hubRequest(body));
    return this.previews.run(async (deadline) => {
      const rows: JsonObject[] = [];
      const meant = { ...ANY_ROWS, labelNames: labelNamesOf(features) };
      const isWhole = await this.read(source, meant, body, { rows, deadline });
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      return { rows, total: isWhole ? rows.length : null, columns };
    });
  }

  /** @returns whether these are all rows */
  private async read(
    source: HubSource,
    meant: RowsMeant,
    body: HubPreviewOrder,
    { rows, deadline }: { readonly rows: JsonObject[]; readonly deadline: AbortSignal },
  ): Promise<boolean> {
    const limit = body.limit ?? DEFAULT_LIMIT;
    let characters = 0;
    for (const file of source.files) {
      refuseLargeTable(file);
      const content = this.connection.hub.read(source, file, body.hf_token ?? null, deadline);
      try {
        for await (const line of lines(fileRows(basename(file.path), content, meant, deadline))) {
          if (rows.length === limit || characters > MAX_PAGE_BYTES) return false;
          rows.push(JSON.parse(line) as JsonObject);
          characters += line.length;
        }
      } catch (error) {
        throw deadline.aborted
          ? new UnavailableError('the hub took too long to send some rows')
          : readable(error, file.path);
      }
    }
    return true;
  }
}

/** Ends its source when it is ended early. */
async function* lines(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of content)
    for (const line of splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
      const text = line.toString();
      // Marks an unreadable row; the end of the file gives the reason.
      if (text !== 'null') yield text;
    }
}

function refuseLargeTable({ path, size }: { readonly path: string; readonly size: number }): void {
  if (!isTooLargeToPreview(path, size)) return;
  throw refusal(`begins with a Parquet file of ${inBytes(size)}, which is too large to preview; pull it`);
}

function readable(error: unknown, path: string): unknown {
  if (error instanceof UnreadableFileError) return refusal(`has a file that cannot be read, ${path}: ${error.message}`);
  if (error instanceof ChildDiedError) return refusal(`has a file that cannot be read, ${path}: ${error.message}`);
  return error;
}

const refusal = (message: string): InvalidError =>
  new InvalidError({ path: ['body', 'repo_id'], message, type: 'not_allowed' });
