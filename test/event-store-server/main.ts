import { parseArgs } from 'node:util';
import { startEventStoreServer } from './server.js';

/**
 * The server as a process of its own: `node dist/test/event-store-server/main.js [--port N] [--directory DIR]`. Prints its address,
 * and ends by SIGTERM, or with the process that forked it.
 */
const { values } = parseArgs({ options: { port: { type: 'string' }, directory: { type: 'string' } } });
const server = await startEventStoreServer({
  // Specs send identical appends at once, many times.
  commitTimeoutMs: 50,
  ...(values.port !== undefined && { port: Number(values.port) }),
  ...(values.directory !== undefined && { directory: values.directory }),
});
process.stdout.write(`${server.address}\n`);

const end = () => void server.close().then(() => process.exit(0));
process.once('SIGTERM', end).once('SIGINT', end).once('disconnect', end);
