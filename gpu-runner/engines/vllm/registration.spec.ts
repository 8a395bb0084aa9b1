import { tmpdir } from 'node:os';
import type { RegisteredEngine } from '../registered-engine.js';
import { moduleSettings, servedBy } from './registration.js';
import { checkServers } from './server-settings.js';

const INSTALLED = { lock: 'a', python: '3.11', versions: { vllm: '0.33.0' }, bytes: 1 };
const generation = { hasChatTemplate: true, features: [] };
const model = (id: string, more: object) => ({ id, directory: '/models', maxTokens: 8, heads: [], ...more });
const engine: RegisteredEngine = {
  ...{ name: 'torch', version: '1', module: 'file:///torch.js', embedders: [] },
  baseModels: [model('ada/chat', { generation }), model('ada/other', { generation }), model('ada/encoder', {})],
  resolveSettings: () => {
    throw new Error('nobody trains it');
  },
};
const serversOf = (base: string) =>
  checkServers(
    { servers: { rack: { base, base_url: 'http://gpu-1:8000/v1', adapters_dir: '/mnt', api_key_env: 'KEY' } } },
    { KEY: 'vllm-secret' },
  );

describe('generation servers from the file', () => {
  it('serve their base model instead of its engine, and show their address without the key', () => {
    const [served] = servedBy(serversOf('ada/chat'), [engine]);
    expect(served).toMatchObject({ ...engine, servers: expect.any(Map) });
    expect([...served!.servers!.keys()]).toEqual(['ada/chat']);
    const address = served!.servers!.get('ada/chat')!.module;
    expect(moduleSettings(address)).toMatchObject({ hasChatTemplate: true, servers: [{ name: 'rack', maxLoras: 1 }] });
    expect(address).not.toContain('vllm-secret');
  });

  it('may be several for one base, and started by the runner if vLLM is installed and the base is in its format', () => {
    const own = (base: string) => checkServers({ servers: { one: { base } } }, {});
    expect(() => servedBy(own('ada/chat'), [engine])).toThrow(
      'server "one": vLLM is not installed: run `npx anneal engine install vllm`, or give the server\'s base_url',
    );
    const install = { folder: '/env', python: '/env/bin/python', facts: INSTALLED };
    const gguf = { ...engine, baseModels: [model('ada/gguf', { generation, isExpanded: true })] };
    expect(() => servedBy(own('ada/gguf'), [gguf], install)).toThrow('and it was imported as GGUF');
    const chat = { ...engine, baseModels: [model('ada/chat', { generation, directory: tmpdir() })] };
    const [served] = servedBy(own('ada/chat'), [chat], install);
    const { module, engine: named } = served!.servers!.get('ada/chat')!;
    expect(named).toEqual({ name: 'vllm', version: '0.33.0' });
    expect(moduleSettings(module)).toMatchObject({ python: '/env/bin/python', toolParser: null });
    const [both] = servedBy([...serversOf('ada/chat'), ...own('ada/chat')], [chat], install);
    expect(moduleSettings(both!.servers!.get('ada/chat')!.module).servers).toMatchObject([
      { name: 'rack' },
      { name: 'one' },
    ]);
  });

  it.each(['ada/missing', 'ada/encoder'])('are refused for %s, for which no generating engine is installed', (base) => {
    expect(() => servedBy(serversOf(base), [engine])).toThrow(
      `server "rack": base must be a decoder that was imported here, for an installed engine (got ${base})`,
    );
  });
});
