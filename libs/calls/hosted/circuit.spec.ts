import { jest } from '@jest/globals';
import {
  refuses,
  startScriptedProvider,
  streams,
  type Act,
  type ScriptedProvider,
} from '#test/support/scripted-provider.js';
import { hostedModels } from './open.js';
import { textMessage, type HostedModel, type HostedModelError, type HostedModels } from './port.js';
import { checkProviders } from './providers.js';

const MODEL: HostedModel = { name: 'acme', model: 'big' };

describe('a circuit', () => {
  let acme: ScriptedProvider;
  let models: HostedModels;
  let failing: ReadonlySet<string>;

  /** Makes a call of a workspace to a provider that fails for those named by the test. */
  const call = (workspaceId: string): Promise<string> => {
    const request = { messages: [textMessage('user', workspaceId)], maxTokens: 20 };
    const events = models.generate(MODEL, request, { workspace: { id: workspaceId, maxCalls: 1_000 } });
    return Array.fromAsync(events).then(
      () => 'answered',
      (error: unknown) => (error as HostedModelError).kind,
    );
  };
  const calls = (count: number, workspaceId: string) =>
    Promise.all(Array.from({ length: count }, () => call(workspaceId)));
  const seenOf = (workspaceId: string) =>
    acme.seen.filter(({ body }) => body.messages[0].content === workspaceId).length;
  const open = (settings: object, fails: Act = refuses(500)) => {
    const provider = { style: 'openai', base_url: acme.url, max_retries: 0, max_connections: 400, ...settings };
    models = hostedModels(checkProviders({ providers: { acme: provider } }, {}));
    acme.script((response, seen) =>
      (failing.has(seen.body.messages[0].content as string) ? fails : streams('hello'))(response, seen),
    );
  };

  beforeEach(async () => {
    acme = await startScriptedProvider();
    failing = new Set();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await models.close();
    await acme.close();
  });

  it('opened by hanging calls of one workspace refuses that one only', async () => {
    failing = new Set(['w1']);
    open({ first_byte_timeout_ms: 2_000 }, () => undefined);
    expect(await call('w2')).toBe('answered');
    const hanging = calls(300, 'w1');
    expect(await calls(30, 'w2')).not.toContain('unavailable');
    expect(new Set(await hanging)).toEqual(new Set(['timeout']));
    expect(await calls(30, 'w2')).toEqual(Array.from({ length: 30 }, () => 'answered'));
    expect(await call('w3')).toBe('answered');
    expect(await call('w1')).toBe('unavailable');
    expect(seenOf('w1')).toBe(300);
  });

  it('opens for a workspace at its first failure if the calls of several others fail as well', async () => {
    open({});
    const others = ['w1', 'w2', 'w3', 'w4'];
    failing = new Set([...others, 'w5']);
    for (const other of others) await calls(13, other);
    for (let time = 0; time < 3; time += 1) expect(await call('w5')).toBe('unavailable');
    expect(seenOf('w5')).toBe(1);
  });

  it('stays closed at a failure of a workspace beside three others whose calls all fail', async () => {
    open({});
    const others = ['w1', 'w2', 'w3'];
    failing = new Set([...others, 'w4']);
    for (const other of others) await calls(300, other);
    await call('w4');
    failing = new Set(others);
    expect(await call('w4')).toBe('answered');
  });

  it('never refuses a workspace whose calls succeed, however many others fail', async () => {
    open({});
    const others = Array.from({ length: 20 }, (_, index) => `other ${index}`);
    failing = new Set(others);
    for (const other of others) {
      await calls(20, other);
      expect(await call('w1')).toBe('answered');
    }
    expect(await call('newcomer')).toBe('answered');
  });

  it('considers the failures of others in the last minute', async () => {
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    open({});
    const others = ['w1', 'w2', 'w3', 'w4'];
    failing = new Set([...others, 'w5']);
    for (const other of others) await calls(13, other);
    now += 61_000;
    await call('w5');
    failing = new Set();
    expect(await call('w5')).toBe('answered');
  });
});
