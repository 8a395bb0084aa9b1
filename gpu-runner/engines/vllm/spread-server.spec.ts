import {
  EngineUnavailableError,
  RefusedGenerationError,
  type DecoderServer,
  type GenerateRequest,
} from '../decoder-engine.js';
import { inOrderFor } from '#primitives/rendezvous.js';
import { SpreadServer } from './spread-server.js';

const never = new AbortController().signal;
const REQUEST: GenerateRequest = { input: { prompt: 'a' }, maxTokens: 1 };

/** A server that answers with its name. */
function serverOf(name: string) {
  const state = { isGone: false, loads: [] as (string | null)[], refuses: false };
  const check = () => {
    if (state.isGone) throw new EngineUnavailableError(`${name} is gone`);
  };
  const server: DecoderServer = {
    async load(_, adapter) {
      check();
      state.loads.push(adapter);
      return {
        byteSize: 3,
        ready: async () => check(),
        async *generate() {
          check();
          if (state.refuses) throw new RefusedGenerationError('tools', 'no');
          yield { type: 'text', text: name };
        },
        close: async () => undefined,
      };
    },
    close: async () => undefined,
  };
  return { name, server, state };
}

describe('several servers with one base model', () => {
  const three = () => ['gpu-1', 'gpu-2', 'gpu-3'].map(serverOf);
  const adapters = Array.from({ length: 30 }, (_, at) => `/cache/job-${at}`);
  const saidBy = async (server: SpreadServer, adapter: string | null) => {
    const model = await server.load('/base', adapter);
    const [chunk] = await Array.fromAsync(model.generate(REQUEST, never));
    return (chunk as { text: string }).text;
  };

  it('have each adapter at one of them, the same for every runner, and all of them have some', async () => {
    const servers = three();
    const [one, other] = [new SpreadServer(servers), new SpreadServer(servers.toReversed())];
    const places = await Promise.all(adapters.map((adapter) => saidBy(one, adapter)));
    // Another runner keeps its adapters in another folder.
    expect(await Promise.all(adapters.map((adapter) => saidBy(other, adapter.replace('/cache', '/tmp'))))).toEqual(
      places,
    );
    expect(new Set(places).size).toBe(3);
    for (const { state } of servers) expect(state.loads.length).toBeGreaterThan(0);
  });

  it('move no adapter but those of a server that is gone', () => {
    const servers = three();
    for (const adapter of adapters) {
      const inOrder = (places: typeof servers) => inOrderFor(adapter, places, ({ name }) => name);
      const [first, ...rest] = inOrder(servers);
      expect(inOrder(servers.filter((each) => each !== first))).toEqual(rest);
    }
  });

  it('answer in turns for the base, and for each other when one is gone and until it is back', async () => {
    const servers = three();
    const spread = new SpreadServer(servers);
    const model = await spread.load('/base', null);
    const ask = async () => (await Array.fromAsync(model.generate(REQUEST, never)))[0];
    const said = async () =>
      new Set(await Promise.all([1, 2, 3].map(async () => ((await ask()) as { text: string }).text)));
    expect(await said()).toEqual(new Set(['gpu-1', 'gpu-2', 'gpu-3']));
    servers[1]!.state.isGone = true;
    expect(await said()).toEqual(new Set(['gpu-1', 'gpu-3']));
    servers[1]!.state.isGone = false;
    expect(await said()).toEqual(new Set(['gpu-1', 'gpu-2', 'gpu-3']));
    for (const { state } of servers) state.isGone = true;
    await expect(ask()).rejects.toThrow('is gone');
    await expect(spread.load('/base', '/cache/new')).rejects.toThrow(EngineUnavailableError);
  });

  it('are asked once for what one refuses', async () => {
    const servers = three();
    for (const { state } of servers) state.refuses = true;
    const model = await new SpreadServer(servers).load('/base', '/cache/a');
    await expect(Array.fromAsync(model.generate(REQUEST, never))).rejects.toThrow(RefusedGenerationError);
    expect(servers.flatMap(({ state }) => state.loads)).toEqual(['/cache/a']);
  });
});
