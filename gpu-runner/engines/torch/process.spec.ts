import { fileURLToPath } from 'node:url';
import { tmpdir } from 'node:os';
import { EngineDiedError, EngineProcess } from './process.js';
import { hello, type Step } from './scripted-python.fixture.js';

const echoes = true as const;
const SCRIPTED = fileURLToPath(new URL('./scripted-python.fixture.js', import.meta.url));

describe('the Python process', () => {
  const started: EngineProcess[] = [];
  let heard: object[];
  beforeEach(() => (heard = []));
  afterEach(async () => {
    await Promise.all(started.splice(0).map((python) => python.stop(0)));
  });

  const start = async (steps: readonly Step[], more: Partial<Parameters<typeof EngineProcess.start>[0]> = {}) => {
    const python = await EngineProcess.start({
      command: [process.execPath, SCRIPTED, JSON.stringify(steps)],
      environment: {},
      directory: tmpdir(),
      onMessage: (message) => void heard.push(message),
      ...more,
    });
    started.push(python);
    return python;
  };

  it('sends hello first, with its versions and device', async () => {
    const python = await start([{ say: hello }]);
    expect(python.hello).toEqual(hello);
  });

  it('exchanges messages in order', async () => {
    const steps = [
      { say: hello },
      { say: { type: 'heartbeat' } },
      { hear: 'unload', echoes },
      { hear: 'ack', echoes },
      { exit: 0 },
    ];
    const python = await start(steps);
    await python.send({ type: 'unload', model: 'a' });
    await python.send({ type: 'ack', seq: 3 });
    await python.ended;
    expect(heard).toEqual([
      { type: 'heartbeat' },
      { type: 'log', level: 'info', message: '{"type":"unload","model":"a"}' },
      { type: 'log', level: 'info', message: '{"type":"ack","seq":3}' },
    ]);
  });

  it('is not read further while a message is handled, and loses no message when it ends', async () => {
    const progress = (step: number) => ({ say: { type: 'progress', step } });
    let handle = (): void => undefined;
    const handled = new Promise<void>((resolve) => (handle = resolve));
    const python = await start([{ say: hello }, progress(1), progress(2), progress(3), { exit: 3 }], {
      onMessage: async (message) => {
        heard.push(message);
        await handled;
      },
      silenceMs: 50,
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard).toHaveLength(1);
    handle();
    const ended = await python.ended;
    expect(heard.map((message) => (message as { step: number }).step)).toEqual([1, 2, 3]);
    expect(ended?.message).toBe('it ended with code 3');
  });

  it.each<[string, readonly Step[], RegExp]>([
    ['another protocol', [{ say: { ...hello, protocol: 2 } }], /speaks protocol 2, and the runner 1/],
    ['no hello first', [{ say: { type: 'heartbeat' } }], /first message is heartbeat instead of a hello/],
    ['an early end', [{ print: 'No module named torch\n' }, { exit: 1 }], /code 1; the last line .* No module named/],
    ['bytes that are not a frame', [{ raw: 'AAAAAXs=' }], /holds no JSON/],
  ])('is refused for %s', async (_, steps, message) => {
    await expect(start(steps)).rejects.toThrow(EngineDiedError);
    await expect(start(steps)).rejects.toThrow(message);
  });

  it('is refused if it cannot be started', async () => {
    const command = ['/nowhere/python', '-V'] as const;
    await expect(start([], { command })).rejects.toThrow(/cannot be started: .*ENOENT/);
  });

  it('is ended for a message of an unknown type', async () => {
    const python = await start([{ say: hello }, { say: { type: 'dance' } }]);
    expect((await python.ended)?.message).toBe('it sent a message of an unknown type, dance');
  });

  it('is ended when its message cannot be handled', async () => {
    const fault = new Error('no room left');
    const onMessage = () => Promise.reject(fault);
    const python = await start([{ say: hello }, { say: { type: 'trained' } }], { onMessage });
    expect(await python.ended).toMatchObject({ message: 'no room left', cause: fault });
  });

  it('is killed when it is silent for too long, even if it reads no messages', async () => {
    const python = await start([{ deaf: true }, { print: 'step 12\n' }, { say: hello }], { silenceMs: 60 });
    const ended = await python.ended;
    expect(ended?.message).toMatch(/^it gave no sign of life for 0 s/);
    expect(ended?.log).toEqual(['step 12']);
  });

  it('is kept alive by heartbeats', async () => {
    const beats = Array.from({ length: 20 }, () => ({ say: { type: 'heartbeat' } }));
    const python = await start([{ say: hello }, ...beats, { hear: 'stop' }], { silenceMs: 60_000 });
    await python.stop(60_000);
    expect(await python.ended).toBeNull();
  });

  it('ends on request, and is killed when it takes too long', async () => {
    const polite = await start([{ say: hello }]);
    await polite.stop(60_000);
    expect(await polite.ended).toBeNull();
    const deaf = await start([{ deaf: true }, { say: hello }]);
    await deaf.stop(50);
    expect(await deaf.ended).toBeNull();
    await expect(deaf.send({ type: 'ack', seq: 1 })).rejects.toThrow('it was stopped');
  });

  it('accepts no message once it has ended, and gives the reason', async () => {
    const python = await start([{ say: hello }, { print: 'Killed: out of memory\n' }, { exit: 137 }]);
    await python.ended;
    const sent = python.send({ type: 'unload', model: 'a' });
    await expect(sent).rejects.toThrow('it ended with code 137; the last line of its log is: Killed: out of memory');
  });

  it('keeps the last 40 lines of its log, shortened, without control characters', async () => {
    const lines = Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join('');
    const print = `${lines}${'x'.repeat(60_000)}\n\u001b[31mred\n 10%\r 20%\r100%`;
    const python = await start([{ say: hello }, { print }, { exit: 1 }]);
    const { log } = (await python.ended)!;
    expect(log).toHaveLength(40);
    expect(log.at(-1)).toBe('100%');
    expect(log.at(-2)).toBe('\\u001b[31mred');
    expect(log.at(-3)).toBe('x'.repeat(500));
    expect(log.at(-4)).toBe('line 49');
  });

  it('reads frames of several megabytes', async () => {
    const python = await start([{ say: hello }, { hear: 'unload', echoes }, { exit: 0 }]);
    await python.send({ type: 'unload', model: 'x'.repeat(5_000_000) });
    await python.ended;
    expect(JSON.stringify(heard[0]).length).toBeGreaterThan(5_000_000);
  });
});
