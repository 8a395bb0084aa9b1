import { connect } from 'node:http2';
import { join } from 'node:path';
import { serverProgram } from './program.js';

/** The server of #test/event-store-server, which speaks EventStoreDB's protocol, in a process of its own. */
export const eventStore = serverProgram({
  name: 'event store server of the tests',
  key: 'event-store-server',
  tools: [],
  build: async () => undefined,
  command: async (_installed, { directory, port }) => ({
    file: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, '..', 'event-store-server', 'main.js'),
      ...['--port', String(port), '--directory', join(directory, 'log')],
    ],
  }),
  address: (port) => `esdb://127.0.0.1:${port}?tls=false`,
  answers: (port) =>
    new Promise((resolve, reject) => {
      const session = connect(`http://127.0.0.1:${port}`);
      session.once('error', reject);
      session.once('remoteSettings', () => {
        session.destroy();
        resolve();
      });
    }),
});
