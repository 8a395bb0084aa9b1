import { hangs, startScriptedProvider, streams, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { hostedModels } from './open.js';
import {
  HostedModelError,
  textMessage,
  type CallingWorkspace,
  type GenerationRequest,
  type HostedModel,
  type HostedModels,
} from './port.js';
import { checkProviders } from './providers.js';

const MODEL: HostedModel = { name: 'acme', model: 'big' };
const request: GenerationRequest = { messages: [textMessage('user', 'Say hello')], maxTokens: 20 };
const workspace = (id: string, maxCalls = 1_000): CallingWorkspace => ({ id, maxCalls });

describe('the connections of a provider', () => {
  let acme: ScriptedProvider;
  let models: HostedModels;
  let leaving: AbortController;
  const calls: Promise<unknown>[] = [];

  const open = async (settings: object = {}) => {
    await models?.close();
    const provider = { style: 'openai', base_url: acme.url, max_retries: 0, max_connections: 8, ...settings };
    models = hostedModels(checkProviders({ providers: { acme: provider } }, {}));
  };
  /** The text that a call of a workspace gives, or its error. */
  const call = (of: CallingWorkspace, signal: AbortSignal = leaving.signal, model = MODEL) => {
    const events = models.generate(model, request, { workspace: of, signal });
    const told = Array.fromAsync(events).then(
      (batches) =>
        batches
          .flat()
          .flatMap((event) => (event.type === 'text' ? [event.text] : []))
          .join(''),
      (error: unknown) => error as HostedModelError,
    );
    calls.push(told);
    return told;
  };
  const calling = (count: number, of: CallingWorkspace) => Array.from({ length: count }, () => call(of));
  const seen = async (count: number) => {
    while (acme.seen.length < count) await acme.next();
  };

  beforeEach(async () => {
    acme = await startScriptedProvider();
    leaving = new AbortController();
    await open();
  });
  afterEach(async () => {
    leaving.abort();
    await models.close();
    await Promise.all(calls.splice(0));
    await acme.close();
  });

  it("serve a workspace's call at once, however many calls of another workspace hang", async () => {
    acme.script(hangs);
    void calling(300, workspace('w1'));
    await seen(6);
    acme.script(streams('hello'));
    expect(await call(workspace('w2'))).toBe('hello');
    expect(acme.seen).toHaveLength(7);
  });

  it('keep one free for a new workspace, however many workspaces have hanging calls', async () => {
    acme.script(hangs);
    for (const id of ['w1', 'w2']) void calling(100, workspace(id));
    await seen(7);
    acme.script(streams('hello'));
    expect(await call(workspace('w3'))).toBe('hello');
  });

  it('are given to one workspace at a time, in turns, if there are too few to share', async () => {
    await open({ max_connections: 1 });
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    let next = 0;
    acme.script(async (response, seenRequest) => {
      const { promise } = gates[next++]!;
      await promise;
      await streams(`call ${next}`)(response, seenRequest);
    });
    const ends: string[] = [];
    const of = (id: string) => call(workspace(id)).then(() => ends.push(id));
    const all = [of('w1'), of('w1'), of('w1'), of('w2')];
    for (const [index, gate] of gates.entries()) {
      await seen(index + 1);
      gate.resolve();
    }
    await Promise.all(all);
    expect(ends).toEqual(['w1', 'w2', 'w1', 'w1']);
  });

  it('refuse a call of a workspace at its limit, and say how many it has', async () => {
    acme.script(hangs);
    void calling(10, workspace('w1', 10));
    const refused = await call(workspace('w1', 10));
    expect(refused).toMatchObject({
      kind: 'crowded',
      message:
        "this workspace has 10 calls under way or waiting at this model's provider, and may have 10; try again later",
      details: { queue: { length: 10, limit: 10 } },
    });
    acme.script(streams('hello'));
    expect(await call(workspace('w2', 10))).toBe('hello');
  });

  it('are free again when calls have ended, failed or were aborted, even while queued', async () => {
    acme.script(hangs);
    const gone = new AbortController();
    const left = Array.from({ length: 40 }, () => call(workspace('w1', 40), gone.signal));
    await seen(6);
    gone.abort();
    expect((await Promise.all(left)).map((error) => (error as HostedModelError).kind)).toEqual(
      left.map(() => 'cancelled'),
    );
    acme.script(streams('hello'));
    expect(await Promise.all(calling(40, workspace('w1', 40)))).toEqual(Array.from({ length: 40 }, () => 'hello'));
  });

  it('do not count a call that timed out in the queue as a failure of the provider', async () => {
    await open({ max_connections: 1, total_timeout_ms: 300, circuit_calls: 2, circuit_failure_percent: 1 });
    acme.script((response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders());
    const [first, second] = [call(workspace('w1')), call(workspace('w1'))];
    const kinds = (await Promise.all([first, second])).map((error) => (error as HostedModelError).kind);
    expect(kinds).toEqual(['timeout', 'crowded']);
  });
});
