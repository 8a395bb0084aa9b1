import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { NoServerError, RemoteError, ServerLostError, type Bus, type Subscription } from '#ports/bus/port.js';
import { NotReadyYetError } from '#domain/errors.js';
import {
  EMBED_SUBJECT,
  INFERENCE_HEARTBEAT,
  INFERENCE_SUBJECT,
  inferenceSubjectOf,
  type InferenceCall,
} from '#gpu-runner/contract/inference.js';
import { LiveRunners } from './live-runners.js';
import { Runners } from './runners.js';

const ADAPTERS = Array.from({ length: 200 }, (_, index) => `adapter-${index}`);
const NAMES = ['one', 'two', 'three.example/4'];

describe('calls to runners', () => {
  let bus: Bus;
  let now: number;
  let calls: Runners;
  let runners: Map<string, Runner>;
  /** Subjects called, in order. */
  let asked: string[];
  /** Subjects whose servers die of every call. */
  let deadly: Set<string>;

  beforeEach(async () => {
    bus = new InProcessBus({ onError: () => undefined });
    asked = [];
    deadly = new Set();
    const call = bus.call.bind(bus);
    bus.call = (subject, body, options) => {
      asked.push(subject);
      return deadly.has(subject) ? lost() : call(subject, body, options);
    };
    now = 0;
    calls = new Runners(bus, new LiveRunners(bus, () => now));
    runners = new Map(NAMES.map((name) => [name, new Runner(bus, name)]));
    await turn();
  });
  afterEach(() => bus.close());

  const whoRuns = async (adapterId: string | null): Promise<string> => {
    const answer = await calls.run(callOf(adapterId), { deadlineMs: 5_000 });
    return (answer as unknown as { by: string }).by;
  };
  const placement = async () =>
    new Map(await Promise.all(ADAPTERS.map(async (id) => [id, await whoRuns(id)] as const)));

  it('always go to the same runner for an adapter, and adapters are spread over the runners', async () => {
    const placed = await placement();
    expect(await placement()).toEqual(placed);
    for (const name of NAMES) expect([...placed.values()].filter((each) => each === name).length).toBeGreaterThan(40);
  });

  it("move only a leaving runner's adapters, and move them back when it returns", async () => {
    const before = await placement();
    await runners.get('two')!.leave();
    const without = await placement();
    for (const [id, name] of before)
      if (name === 'two') expect(without.get(id)).not.toBe('two');
      else expect(without.get(id)).toBe(name);
    runners.set('two', new Runner(bus, 'two'));
    await turn();
    expect(await placement()).toEqual(before);
  });

  it('bypass a dead runner before its heartbeats are missed', async () => {
    const before = await placement();
    await runners.get('one')!.die();
    const after = await placement();
    for (const [id, name] of before) if (name !== 'one') expect(after.get(id)).toBe(name);
    expect([...after.values()]).not.toContain('one');
  });

  it('send no adapters to a silent runner, even if it still answers', async () => {
    now = 5_000;
    runners.get('two')!.beat();
    await turn();
    expect(new Set((await placement()).values())).toEqual(new Set(['two']));
  });

  it('go to any runner before heartbeats and for base models', async () => {
    now = 5_000;
    expect(NAMES).toContain(await whoRuns('adapter-1'));
    const by = new Set<string>();
    for (let index = 0; index < 50; index += 1) by.add(await whoRuns(null));
    expect([...by].sort()).toEqual([...NAMES].sort());
  });

  it('that a runner lost are repeated at another, once', async () => {
    const name = await whoRuns('adapter-1');
    deadly.add(inferenceSubjectOf(name));
    expect(await whoRuns('adapter-1')).not.toBe(name);
    for (const each of NAMES) deadly.add(inferenceSubjectOf(each));
    runners.get(name)!.beat();
    await turn();
    asked = [];
    await expect(whoRuns('adapter-1')).rejects.toThrow(ServerLostError);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toBe(inferenceSubjectOf(name));
  });

  it('of an embedder go to any runner, and once more if that died', async () => {
    const embed = () =>
      calls.embed({ workspaceId: 'w', modelId: 'e', texts: ['a'], dimensions: 1 }, { deadlineMs: 5_000 });
    await expect(embed()).rejects.toThrow(NoServerError);
    deadly.add(EMBED_SUBJECT);
    asked = [];
    await expect(embed()).rejects.toThrow(ServerLostError);
    expect(asked).toEqual([EMBED_SUBJECT, EMBED_SUBJECT]);
    deadly.clear();
    bus.serve(EMBED_SUBJECT, async () => ({ tooLong: 0 }));
    expect(await embed()).toEqual({ tooLong: 0 });
  });

  it("return the model's answer without asking another runner", async () => {
    for (const runner of runners.values()) runner.refusal = 'no such head';
    await expect(whoRuns('adapter-1')).rejects.toThrow(RemoteError);
    expect(asked).toHaveLength(1);
  });

  it('fail with their own error when no runner serves', async () => {
    for (const runner of runners.values()) await runner.die();
    await expect(whoRuns('adapter-1')).rejects.toThrow(NoServerError);
    await expect(whoRuns(null)).rejects.toThrow(NoServerError);
  });

  it('for an adapter that is still loading report warming up, with the time to retry', async () => {
    for (const runner of runners.values()) runner.retryAfterMs = 2_400;
    const refused = await calls.run(callOf('adapter-1'), { deadlineMs: 5_000 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotReadyYetError);
    expect(refused).toMatchObject({ code: 'warming_up', retryAfterSeconds: 3 });
  });

  it('find a new adapter provisioning until a runner arrives; later calls fail without a runner', async () => {
    for (const runner of runners.values()) await runner.die();
    const first = await calls.run(callOf('adapter-1'), { deadlineMs: 5_000 }, true).catch((error: unknown) => error);
    expect(first).toMatchObject({ code: 'provisioning', retryAfterSeconds: 5 });
    await expect(calls.run(callOf('adapter-1'), { deadlineMs: 5_000 })).rejects.toThrow(NoServerError);
    runners.set('one', new Runner(bus, 'one'));
    expect(await calls.run(callOf('adapter-1'), { deadlineMs: 5_000 }, true)).toEqual({ by: 'one' });
  });
});

/** Serves like one, and answers with its name. */
class Runner {
  refusal: string | null = null;
  retryAfterMs: number | null = null;
  private readonly subscriptions: readonly Subscription[];

  constructor(
    private readonly bus: Bus,
    private readonly name: string,
  ) {
    this.subscriptions = [INFERENCE_SUBJECT, inferenceSubjectOf(name)].map((subject) =>
      bus.serve(subject, async () => {
        if (this.refusal !== null) throw new Error(this.refusal);
        return this.retryAfterMs === null ? { by: name } : { retryAfterMs: this.retryAfterMs };
      }),
    );
    this.beat();
  }

  beat(leaving = false): void {
    this.bus.signal(INFERENCE_HEARTBEAT, { name: this.name, leaving });
  }

  async leave(): Promise<void> {
    this.beat(true);
    await this.die();
  }

  async die(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }
}

const callOf = (adapterId: string | null): InferenceCall => ({
  workspaceId: 'w',
  model: {
    baseModelId: 'base',
    adapter: adapterId === null ? null : { id: adapterId, folder: { objectPrefix: adapterId, files: [] } },
  },
  texts: [],
  schema: null,
  threshold: 0.5,
});

async function* lost(): AsyncGenerator<never, void, undefined> {
  throw new ServerLostError('lost in the middle');
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
