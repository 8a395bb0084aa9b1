import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEFAULT_LIMITS, formatOfName, openFile, RowRefusedError, sourceRows } from '#rows/formats/index.js';
import type { JsonObject } from '#domain/json.js';

const BLOCK_BYTES = 4 * 1024 * 1024;

/** A row of a file, or why it cannot be read. Rows are numbered from 1. */
export type ExportedCall =
  | { readonly row: number; readonly value: JsonObject; readonly reason?: never }
  | { readonly row: number; readonly value?: never; readonly reason: string };

/**
 * The rows of a file of calls: JSON lines, a list of JSON, CSV or Parquet, plain or packed. Reads it with the memory of some rows.
 * @param tell called with the bytes of the file that have been read
 * @throws UnreadableFileError (while iterating, too)
 */
export async function* exportedCalls(path: string, tell: (bytes: number) => void): AsyncGenerator<ExportedCall> {
  const folder = await mkdtemp(join(tmpdir(), 'anneal-import-'));
  const source = createReadStream(path);
  try {
    const fileName = basename(path);
    const { form, blocks } = await openFile(source, {
      ...{ datasetType: 'records', format: formatOfName(fileName), fileName, columnMapping: {}, areRaw: true },
      ...{ limits: DEFAULT_LIMITS, folder, blockBytes: BLOCK_BYTES },
    });
    let row = 0;
    for await (const block of blocks) {
      tell(source.bytesRead);
      const calls: ExportedCall[] = [];
      try {
        sourceRows(block, { form, limits: DEFAULT_LIMITS, labelNames: {}, oneHot: [] }, ({ value, error }) => {
          row += 1;
          calls.push(error ? { row, reason: `${error.field} ${error.reason}`.trim() } : { row, value });
        });
      } catch (error) {
        if (!(error instanceof RowRefusedError)) throw error;
        yield* calls;
        row += 1;
        yield { row, reason: error.reason };
        return;
      }
      yield* calls;
    }
  } finally {
    source.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}
