import { parseArgs } from 'node:util';
import { startEventStoreServer } from './server.js';

/** The server as a process of its own: `node dist/test/event-store-server/main.js [--port N] [--directory DIR]`. */
const { values } = parseArgs({ options: { port: { type: 'string' }, directory: { type: 'string' } } });
const { address, close } = await startEventStoreServer({
  ...(values.port !== undefined && { port: Number(values.port) }),
  ...(values.directory !== undefined && { directory: values.directory }),
});
process.stdout.write(`${address}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void close().then(() => process.exit(0)));
