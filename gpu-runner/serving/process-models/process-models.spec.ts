import { Engines } from '#gpu-runner/contract/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { eventually } from '#test/support/eventually.js';
import type { Adapters } from '../adapters/adapters.js';
import { loads } from './gated-decoders.fixture.js';
import { ProcessModels } from './process-models.js';

const BASE = 'test/gated';
const gated: RegisteredEngine = {
  ...{ name: 'gated', version: '1', module: new URL('./gated-decoders.fixture.js', import.meta.url).href },
  baseModels: [
    { id: BASE, directory: '/gated', maxTokens: 8, heads: [], generation: { hasChatTemplate: false, features: [] } },
  ],
  embedders: [],
  resolveSettings: () => {
    throw new Error('nobody trains it');
  },
};

describe('models in processes of their engines', () => {
  it('that load for longer than a call waits continue loading, for the call that retries', async () => {
    const loaded = Promise.withResolvers<void>();
    loads.done = loaded.promise;
    const models = new ProcessModels(new Engines([gated]), {} as Adapters, 'runner', 1, 1);
    const lease = () => models.lease('decoders', { baseModelId: BASE, adapter: null }, new AbortController().signal);
    expect(await lease()).toEqual({ retryAfterMs: 10_000 });
    expect(await lease()).toEqual({ retryAfterMs: 10_000 });
    loaded.resolve();
    await eventually(async () => 'release' in (await lease()));
    expect(loads.begun).toBe(1);
    await models.close();
  });
});
