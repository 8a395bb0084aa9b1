// The process that reads uploaded files. Started by `child-process.ts`, one for each attempt at a version.
import { Socket } from 'node:net';
import { once } from 'node:events';
import { convertRows, mergedErrors, ProblemList, UnreadableFileError, validateRows } from '#dataset-formats/index.js';
import { PIPES, type ChildMessage, type ProcessingJob } from './protocol.js';

// Nobody is left to tell.
process.once('disconnect', () => process.exit(1));

const [job] = (await once(process, 'message')) as [ProcessingJob];
try {
  await send(await processed(job));
} catch (error) {
  if (!(error instanceof UnreadableFileError)) throw error;
  await send({ kind: 'refused', reason: error.message, rowErrors: null });
}
process.exit(0);

async function processed(job: ProcessingJob): Promise<ChildMessage> {
  const unreadable = new ProblemList();
  const rows = new Socket({ fd: PIPES.rows });
  const { format, index } = await convertRows(process.stdin, job, unreadable, async (text) => {
    if (!rows.write(text)) await once(rows, 'drain');
  });
  await new Promise<void>((resolve) => rows.end(resolve));
  await send({ kind: 'converted', index });
  const invalid = new ProblemList();
  const contents = await validateRows(new Socket({ fd: PIPES.stored }), { ...job, format }, invalid);
  const errors = mergedErrors(unreadable, invalid);
  return errors ? { kind: 'refused', ...errors } : { kind: 'valid', contents };
}

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}
