import { join } from 'node:path';
import { serverProgram } from './program.js';
import { goInstall } from './tools.js';

const VERSION = '2.5.0';

/**
 * A proxy that spoils connections on demand; its address is that of its control, for `toxiproxy-node-client`. Give its proxies
 * ports of `freePort()`. It forgets them when it ends.
 */
export const toxiproxy = serverProgram({
  name: `toxiproxy ${VERSION}`,
  key: `toxiproxy-${VERSION}`,
  tools: ['go'],
  build: (folder) => goInstall(`github.com/Shopify/toxiproxy/v2/cmd/server@v${VERSION}`, folder),
  command: async (installed, { port }) => ({
    file: join(installed, 'server'),
    args: ['-host', '127.0.0.1', '-port', String(port)],
  }),
  address: (port) => `http://127.0.0.1:${port}`,
  async answers(port) {
    const response = await fetch(`http://127.0.0.1:${port}/version`, { signal: AbortSignal.timeout(1000) });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
  },
});
