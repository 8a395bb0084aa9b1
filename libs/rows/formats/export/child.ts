// The process that writes Parquet files for download. Started by `parquet-export.ts`, one for each.
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import { writeParquet } from '../write/parquet.js';
import type { ExportJob, TableExportMessage } from './protocol.js';

const SIGN_OF_LIFE_MS = 5000;

const tell = (message: TableExportMessage): Promise<void> => tellParent(message);

const { columns, folder } = await takeJob<ExportJob>();
setInterval(() => void tell({ kind: 'working' }), SIGN_OF_LIFE_MS).unref();
await tell({ kind: 'written', ...(await writeParquet(process.stdin, columns, folder)) });
process.exit(0);
