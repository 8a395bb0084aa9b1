import { Engines } from '#gpu-runner/contract/engines.js';
import type { GenerateRequest } from '#gpu-runner/engines/decoder-engine.js';
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

describe('a base model that a server generates with', () => {
  it('is leased from the server, or from the engine for requests that the server does not take', async () => {
    loads.done = Promise.resolve();
    const module = new URL('./choosy-server.fixture.js', import.meta.url).href;
    const server = { engine: { name: 'choosy', version: '2' }, module, isRemote: false };
    const both = { ...gated, servers: new Map([[BASE, server]]) };
    const models = new ProcessModels(new Engines([both]), {} as Adapters, 'runner', 1);
    const engineOf = async (request: GenerateRequest | null) => {
      const leased = await models.lease(
        'decoders',
        { baseModelId: BASE, adapter: null },
        new AbortController().signal,
        request,
      );
      if (!('release' in leased)) throw new Error('it takes long');
      leased.release();
      return [leased.engine.name, leased.model.byteSize];
    };
    const request = { input: { prompt: 'a' }, maxTokens: 1 };
    expect(await engineOf(null)).toEqual(['choosy', 2]);
    expect(await engineOf(request)).toEqual(['choosy', 2]);
    expect(await engineOf({ ...request, logprobs: { top: 1 } })).toEqual(['gated', 1]);
    expect(models.size).toBe(2);
    await models.close();
  });
});

describe('models in processes of their engines', () => {
  it('that load for longer than a call waits continue loading, for the call that retries', async () => {
    const loaded = Promise.withResolvers<void>();
    Object.assign(loads, { begun: 0, done: loaded.promise });
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
