import type { RegisteredEngine } from '../registered-engine.js';
import { moduleSettings, servedBy } from './registration.js';
import { checkServers } from './server-settings.js';

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
    expect(moduleSettings(address)).toMatchObject({ hasChatTemplate: true, settings: { name: 'rack', maxLoras: 1 } });
    expect(address).not.toContain('vllm-secret');
  });

  it.each(['ada/missing', 'ada/encoder'])('are refused for %s, for which no generating engine is installed', (base) => {
    expect(() => servedBy(serversOf(base), [engine])).toThrow(
      `server "rack": base must be a decoder that was imported here, for an installed engine (got ${base})`,
    );
  });
});
