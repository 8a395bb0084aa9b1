// The process that reads uploaded files. Started by `process-version.ts`, one for each attempt at a version.
import { once } from 'node:events';
import { Socket } from 'node:net';
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import { PIPES } from '#primitives/confined-process/index.js';
import { convertRows, ThreadMemoryError, UnreadableFileError } from '../formats/index.js';
import type { ChildMessage, ProcessingJob } from './protocol.js';

/** Of a list, in one message. */
const MESSAGE_BYTES = 256 * 1024;

const job = await takeJob<ProcessingJob>();
const tell = (message: ChildMessage): Promise<void> => tellParent(message);
try {
  await readFile(job);
} catch (error) {
  // Reports it as the process itself would.
  if (error instanceof ThreadMemoryError) throw new Error(`heap out of memory: ${error.message}`, { cause: error });
  if (!(error instanceof UnreadableFileError)) throw error;
  await tell({ kind: 'refused', reason: error.message, rowErrors: null });
}
process.exit(0);

async function readFile(job: ProcessingJob): Promise<void> {
  const rows = new Socket({ fd: PIPES.output });
  const { index, read, size, sha256, verdict } = await convertRows(process.stdin, job, async (text) => {
    if (!rows.write(text)) await once(rows, 'drain');
  });
  await new Promise<void>((resolve) => rows.end(resolve));
  await tell({ kind: 'converted', index, read });
  if (verdict.refused) return tell({ kind: 'refused', ...verdict.refused });
  const { lines, ...leftOut } = verdict.leftOut ?? { lines: Buffer.alloc(0) };
  for (let start = 0; start < lines.length; start += MESSAGE_BYTES)
    await tell({ kind: 'left-out', lines: lines.toString('base64', start, start + MESSAGE_BYTES) });
  const { contents } = verdict;
  await tell({ kind: 'valid', contents, leftOut: 'rows' in leftOut ? leftOut : null, size, sha256 });
}
