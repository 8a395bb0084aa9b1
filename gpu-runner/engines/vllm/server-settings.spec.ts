import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkServers, connectionOf, readServers } from './server-settings.js';

const SERVER = { base: 'ada/tiny', base_url: 'http://gpu-1:8000/v1/', adapters_dir: '/mnt/adapters' };

describe('the file of generation servers', () => {
  it('has the defaults of vLLM, and passes the rest to the connection', () => {
    const [server] = checkServers(
      { servers: { rack: { ...SERVER, api_key_env: 'KEY', max_retries: 0 } } },
      { KEY: 'k' },
    );
    expect(server).toMatchObject({
      ...{ name: 'rack', base: 'ada/tiny', model: 'ada/tiny', maxLoras: 1, maxLoraRank: 16 },
      ...{ adaptersDir: '/mnt/adapters', serverAdaptersDir: '/mnt/adapters' },
    });
    expect(JSON.stringify(server)).not.toContain('"k"');
    expect(connectionOf(server!, { KEY: 'k' })).toMatchObject({
      ...{ baseUrl: 'http://gpu-1:8000/v1', key: 'k', maxRetries: 0, style: 'openai' },
    });
  });

  it.each([
    [{ ...SERVER, style: 'openai' }, 'server "rack": style is no field of a server'],
    [{ ...SERVER, base: undefined }, 'server "rack": base must be a string'],
    [{ ...SERVER, adapters_dir: 'adapters' }, 'server "rack": adapters_dir must be an absolute path (got adapters)'],
    [{ ...SERVER, max_loras: 0 }, 'server "rack": max_loras must be a whole number, at least 1'],
    [{ ...SERVER, base_url: 'gpu-1' }, 'server "rack": base_url must be an address like https://host/v1'],
    [{ ...SERVER, api_key_env: 'MISSING' }, 'server "rack": api_key_env names no key'],
    ['gpu-1', 'server "rack": it must be an object'],
    [{ ...SERVER, memory_share: 0.5 }, 'server "rack": memory_share is no field of a server at an address'],
    [{ base: 'ada/tiny', memory_share: 1.5 }, 'server "rack": memory_share must be a number above 0, at most 1'],
    [
      { base: 'ada/tiny', adapters_dir: '/mnt' },
      'server "rack": adapters_dir is no field of a server that the runner starts',
    ],
  ])('refuses %j by server and field', (rack, message) => {
    expect(() => checkServers({ servers: { rack } }, {})).toThrow(message);
  });

  it('may name several servers for one base model, and servers without an address, which the runner starts', () => {
    expect(checkServers({ servers: { a: SERVER, b: SERVER } }, {})).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    const own = { base: 'ada/tiny', max_loras: 8 };
    expect(checkServers({ servers: { own } }, {})).toMatchObject([{ memoryShare: 0.9, maxLoras: 8 }]);
    expect(checkServers({ servers: { own: { ...own, memory_share: 0.5 } } }, {})).toMatchObject([{ memoryShare: 0.5 }]);
  });

  it('is read, and refused if it is missing or not JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'generation-servers-'));
    const path = join(folder, 'servers.json');
    expect(() => readServers(path, {})).toThrow('it cannot be read: ENOENT');
    await writeFile(path, '{');
    expect(() => readServers(path, {})).toThrow('it is not JSON');
    await writeFile(path, JSON.stringify({ servers: { rack: SERVER } }));
    expect(readServers(path, {})).toHaveLength(1);
    await rm(folder, { recursive: true });
  });
});
