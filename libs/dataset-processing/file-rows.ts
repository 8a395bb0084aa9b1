import { ConfinedProcess, lendFolder } from '#primitives/confined-process/index.js';
import { UnreadableFileError } from '#dataset-formats/index.js';
import { DEFAULT_OPTIONS } from './process-version.js';
import type { ChildMessage, ProcessingJob } from './protocol.js';

/** Whoever takes the rows bounds them. */
const UNBOUNDED = { bytes: Number.MAX_SAFE_INTEGER, rows: Number.MAX_SAFE_INTEGER };
const CHILD = new URL('./child.js', import.meta.url);

/** As what the rows will be read; it tells which cells mean lists, and which text only. */
export type RowsMeant = Pick<ProcessingJob, 'datasetType' | 'columnMapping'>;

/** It is not known: cells that look like JSON are that. */
export const ANY_ROWS: RowsMeant = { datasetType: 'records', columnMapping: {} };

/**
 * The rows of a file of any format that can be uploaded, as lines of JSON, as they stand in it: read by the confined process
 * that reads uploads. Whoever has had enough of them leaves the loop.
 * @param fileName its ending may tell the format
 * @throws UnreadableFileError (while iterating) with the reason, ChildDiedError, what `source` throws
 */
export async function* fileRows(
  fileName: string,
  source: AsyncIterable<Uint8Array>,
  { datasetType, columnMapping }: RowsMeant,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { files: limits, heapMiB, totalMs } = DEFAULT_OPTIONS;
  const lent = await lendFolder(totalMs);
  const { folder } = lent;
  const job: ProcessingJob = {
    datasetType,
    format: null,
    fileName,
    columnMapping,
    areRaw: true,
    limits,
    room: UNBOUNDED,
    folder,
    threads: 1,
    heapMiB,
  };
  const reader = new ConfinedProcess<ChildMessage>(job, { ...DEFAULT_OPTIONS, program: CHILD, folder, signal });
  const feeding = reader.feed(source);
  feeding.catch(() => undefined);
  try {
    yield* reader.output();
    let message = await reader.next();
    // What it says of a file that broke off here is said of the half.
    await feeding;
    if (message.kind === 'converted') message = await reader.next();
    if (message.kind === 'refused') throw new UnreadableFileError(message.reason);
  } finally {
    await reader.stop();
    await lent.remove();
  }
}
