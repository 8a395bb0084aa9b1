// The process that writes Parquet files for download. Started by `parquet-export.ts`, one for each.
import { once } from 'node:events';
import { writeParquet } from '../write/parquet.js';
import type { ExportJob, ExportMessage } from './protocol.js';

const SIGN_OF_LIFE_MS = 5000;

// The parent is gone.
process.once('disconnect', () => process.exit(1));

const [{ columns, folder }] = (await once(process, 'message')) as [ExportJob];
setInterval(() => void send({ kind: 'working' }), SIGN_OF_LIFE_MS).unref();
await send({ kind: 'written', ...(await writeParquet(process.stdin, columns, folder)) });
process.exit(0);

function send(message: ExportMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}
