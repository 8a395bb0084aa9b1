import { ConfinedProcess, withFolder } from '#primitives/confined-process/index.js';
import type { Contents, DatasetVersion, LeftOut, RowErrors } from '#domain/dataset/index.js';
import type { RowsRead } from '../formats/index.js';
import { CHILD, UNBOUNDED } from './file-rows.js';
import { DEFAULT_OPTIONS } from './process-version.js';
import type { ChildMessage, ProcessingJob } from './protocol.js';
import { verdictOf } from './verdict.js';

/** How a file is read: what a request says of it. */
export type Reading = Pick<
  DatasetVersion,
  'datasetType' | 'format' | 'layout' | 'fileName' | 'columnMapping' | 'labelNames'
>;

/** The first rows of a file, read as all of them would be, however many of them are wrong. */
export interface FirstRows {
  /** Lines of canonical JSONL. */
  readonly text: Buffer;
  /** Absent: the file as a whole cannot be read. */
  readonly read?: RowsRead;
  readonly verdict:
    | { readonly contents: Contents; readonly leftOut: Omit<LeftOut, 'list'> | null; readonly lines: Buffer }
    | { readonly refused: string; readonly rowErrors: RowErrors | null };
}

/**
 * Reads the first rows of a file in the confined process that reads uploads, and stores nothing.
 * @throws ChildDiedError, what `source` throws
 */
export const firstRows = (
  source: AsyncIterable<Uint8Array>,
  { datasetType, format, layout, fileName, columnMapping, labelNames }: Reading,
  signal: AbortSignal,
): Promise<FirstRows> =>
  withFolder(DEFAULT_OPTIONS.totalMs, async (folder) => {
    const { files: limits, heapMiB } = DEFAULT_OPTIONS;
    const job: ProcessingJob = {
      ...{ datasetType, format, layout: layout ?? null, fileName, columnMapping, labelNames, areRaw: false },
      ...{ limits, room: UNBOUNDED, folder, threads: 1, heapMiB, tolerance: 1, onlyFirst: true },
    };
    const reader = new ConfinedProcess<ChildMessage>(job, { ...DEFAULT_OPTIONS, program: CHILD, folder, signal });
    const feeding = reader.feed(source);
    feeding.catch(() => undefined);
    try {
      const text = Buffer.concat(await Array.fromAsync(reader.output()));
      const first = await reader.next();
      const { verdict, lines } =
        first.kind === 'converted' ? await verdictOf(reader) : { verdict: first, lines: Buffer.alloc(0) };
      // A file that broke off here would have been read only in part.
      await feeding;
      const read = first.kind === 'converted' ? { read: first.read } : {};
      if (verdict.kind === 'refused')
        return { text, ...read, verdict: { refused: verdict.reason, rowErrors: verdict.rowErrors } };
      if (verdict.kind !== 'valid') throw new Error('the reader spoke out of turn');
      return { text, ...read, verdict: { contents: verdict.contents, leftOut: verdict.leftOut, lines } };
    } finally {
      await reader.stop();
    }
  });
