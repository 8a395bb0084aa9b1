import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { serverProgram } from './program.js';
import { goInstall } from './tools.js';

const VERSION = '2.15.2';

/** NATS with JetStream on disk, where an acknowledged message survives a power cut. */
export const nats = serverProgram({
  name: `NATS ${VERSION}`,
  key: `nats-server-${VERSION}`,
  tools: ['go'],
  build: (folder) => goInstall(`github.com/nats-io/nats-server/v2@v${VERSION}`, folder),
  async command(installed, { directory, port }) {
    const config = join(directory, 'nats.conf');
    await writeFile(
      config,
      `listen: "127.0.0.1:${port}"
jetstream { store_dir: ${JSON.stringify(join(directory, 'jetstream'))}, sync_interval: always }
`,
    );
    return { file: join(installed, 'nats-server'), args: ['--config', config] };
  },
  address: (port) => `nats://127.0.0.1:${port}`,
  answers: (port) =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      // The server accepts clients once JetStream has recovered, and its greeting says so.
      socket.once('data', (greeting) => {
        socket.destroy();
        if (greeting.includes('"jetstream":true')) resolve();
        else reject(new Error('it has no JetStream'));
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('it says nothing')));
    }),
});
