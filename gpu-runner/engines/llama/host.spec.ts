import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FromEngine } from '../torch/messages.js';
import { Host } from './host.js';
import type { Llama, Runtime } from './runtime.js';

describe('the process of the llama engine', () => {
  it('reveals no folder of its machine when a model cannot be read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'llama-host-'));
    const sent: FromEngine[] = [];
    // The model is not there, so that neither is used.
    const unused = { runtime: {} as Runtime, llama: {} as Llama, threads: 1 };
    const host = new Host({
      ...{ ...unused, directory },
      send: (message) => Promise.resolve(void sent.push(message)),
    });
    const base = { id: 'ada/gone', sha256: 'a', directory: join(directory, 'models', 'gone') };
    await host.hear({ type: 'load', model: '1', base, adapter: null });
    await rm(directory, { recursive: true });
    expect(sent).toMatchObject([{ type: 'error', kind: 'artifact', model: '1' }]);
    expect(JSON.stringify(sent)).not.toContain(directory);
  });
});
