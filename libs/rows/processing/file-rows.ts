import { ConfinedProcess, lendFolder } from '#primitives/confined-process/index.js';
import { UnreadableFileError } from '../formats/index.js';
import { DEFAULT_OPTIONS } from './process-version.js';
import type { ChildMessage, ProcessingJob } from './protocol.js';

/** The consumer of the rows bounds them. */
export const UNBOUNDED = { bytes: Number.MAX_SAFE_INTEGER, rows: Number.MAX_SAFE_INTEGER };
export const CHILD = new URL('./child.js', import.meta.url);

/** The intended reading of the rows; determines which cells are lists and which are text only. */
export type RowsMeant = Pick<ProcessingJob, 'datasetType' | 'columnMapping' | 'labelNames'> & {
  /** Default: detected from its name, then from its content. */
  readonly format?: ProcessingJob['format'];
  /** The name of the file in the lines of rows that cannot be read. Default: such a row is an error. */
  readonly keepsFaultsOf?: string | null;
};

/** For an unknown reading: cells that look like JSON are parsed. */
export const ANY_ROWS: RowsMeant = { datasetType: 'records', columnMapping: {} };

/**
 * The rows of a file of any format that can be uploaded, as lines of JSON, unchanged: read by the confined process that
 * reads uploads. Leave the loop to stop reading.
 * @param fileName its ending may reveal the format
 * @throws UnreadableFileError (while iterating) with the reason, ChildDiedError, what `source` throws
 */
export async function* fileRows(
  fileName: string,
  source: AsyncIterable<Uint8Array>,
  { datasetType, columnMapping, labelNames, format = null, keepsFaultsOf = null }: RowsMeant,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { files: limits, heapMiB, totalMs } = DEFAULT_OPTIONS;
  const lent = await lendFolder(totalMs);
  const { folder } = lent;
  const job: ProcessingJob = {
    datasetType,
    format,
    layout: null,
    fileName,
    columnMapping,
    labelNames,
    areRaw: true,
    keepsFaultsOf,
    tolerance: 0,
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
    // Waits first: a verdict on a file that broke off here would concern only the part that arrived.
    await feeding;
    if (message.kind === 'converted') message = await reader.next();
    if (message.kind === 'refused') throw new UnreadableFileError(message.reason);
  } finally {
    await reader.stop();
    await lent.remove();
  }
}
