import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { AttemptRef, Heartbeat } from '#gpu-runner/contract/work.js';
import type { Needs } from '#gpu-runner/contract/needs.js';
import { evolve } from '#log/projector/handlers.js';
import { NO_WORK, OPEN_EXPORTS, OPEN_TRAINING, queueOf, type OpenItem, type OpenWork } from './open-work.js';
import { pendingAttempts, SILENCE_MS, type AttemptCommand, type RunnersSeen } from './pending.js';
import { Runners } from './runners.js';

const builtin = { name: 'builtin', version: '1', baseModels: [{ id: 'base', sha256: 'a' }] };
const needs: Needs = { engine: { name: 'builtin', version: '1' }, baseModel: { id: 'base', sha256: 'a' } };
const waiting = (id: string, attempt = 1, workspaceId = 'w1'): OpenItem => ({
  ...{ id, workspaceId, needs, attempt, runnerId: null, notBefore: 0, waitingSince: 0 },
});
const claimed = (id: string, runnerId = 'host/b1', attempt = 1, workspaceId = 'w1'): OpenItem => ({
  ...{ id, workspaceId, needs, attempt, runnerId, notBefore: 0, waitingSince: 0 },
});
const openWork = (...items: OpenItem[]): OpenWork => ({
  ...NO_WORK,
  items: new Map(items.map((item) => [item.id, item])),
});
const beat = (...working: AttemptRef[]): Heartbeat => ({
  runnerId: 'host/b1',
  name: 'host',
  bootId: 'b1',
  capacity: { training: 1, evaluation: 1, export: 0 },
  engines: [builtin],
  working: working.map((ref) => ({ kind: 'training', ...ref, progress: { fraction: 0, epoch: 0, step: 0 } })),
});
const runners = (...present: Heartbeat[]): RunnersSeen => ({
  present: () => present,
  silentFor: () => 0,
  replaced: () => false,
  offeredLately: () => false,
});
const offer = (id: string, attempt = 1) => ({ type: 'offer', kind: 'training', ref: { id, attempt }, needs });
const pending = (open: OpenWork, seen: RunnersSeen, now = 0) => pendingAttempts('training', open, seen, now);

describe('the pending commands for attempts', () => {
  it('offer the oldest unclaimed attempts while runners have capacity, first come first served', () => {
    expect(pending(openWork(waiting('a'), waiting('b')), runners(beat()))).toEqual([offer('a')]);
    expect(pending(openWork(waiting('a'), waiting('b')), runners(beat(), beat()))).toEqual([offer('a'), offer('b')]);
    expect(pending(openWork(waiting('a')), runners())).toEqual([]);
  });

  it("offer another workspace's attempt next, while one has 19 jobs waiting and one running", () => {
    const jobs = Array.from({ length: 19 }, (_, index) => waiting(`a${index}`));
    const others = [claimed('a', 'other/b1'), waiting('b', 1, 'w2')];
    expect(pending(openWork(...jobs, ...others), runners(beat()))).toEqual([offer('b')]);
  });

  it('offer to workspaces in turns, the least recently served first', () => {
    const items = [waiting('a'), waiting('a2'), waiting('b', 1, 'w2'), waiting('c', 1, 'w3')];
    const open = { ...openWork(...items), served: ['w3', 'w1'] };
    expect(pending(open, runners(beat(), beat(), beat(), beat()))).toEqual(
      ['b', 'c', 'a', 'a2'].map((id) => offer(id)),
    );
  });

  it('offer what the system asked for once nothing waits that a user asked for', () => {
    const items = [{ ...waiting('a'), isAutomatic: true } as const, waiting('b'), waiting('c', 1, 'w2')];
    expect(pending(openWork(...items), runners(beat(), beat(), beat()))).toEqual(
      ['b', 'c', 'a'].map((id) => offer(id)),
    );
  });

  it('offer a delayed attempt only when its time has come, and others before it', () => {
    const open = openWork({ ...waiting('a'), notBefore: 10 }, waiting('b'));
    expect(pending(open, runners(beat()), 9)).toEqual([offer('b')]);
    expect(pending(open, runners(beat()), 10)).toEqual([offer('a')]);
  });

  describe('for work that only some runners can run', () => {
    const torch: Needs = { engine: { name: 'torch', version: '2' }, baseModel: { id: 'lm', sha256: 'b' } };
    const onTorch = (id: string): OpenItem => ({ ...waiting(id), needs: torch });
    const withTorch = (version = '2', sha256 = 'b') => [
      builtin,
      { name: 'torch', version, baseModels: [{ id: 'lm', sha256 }] },
    ];
    const told = (offers: readonly AttemptCommand[]) =>
      offers.map((command) => command.type === 'offer' && [command.ref.id, command.needs?.engine]);

    it('offer only as much as the capable runners have capacity for, and other work beside it', () => {
      const open = openWork(onTorch('a'), onTorch('b'), waiting('c'));
      expect(pending(open, runners({ ...beat(), engines: [builtin] }))).toEqual([offer('c')]);
      const both = runners({ ...beat(), engines: withTorch() }, { ...beat(), engines: [builtin] });
      expect(told(pending(open, both))).toEqual([
        ['a', torch.engine],
        ['c', needs.engine],
      ]);
    });

    it('reserve the most capable runner for work that needs it', () => {
      const both = runners({ ...beat(), engines: withTorch() }, { ...beat(), engines: [builtin] });
      expect(told(pending(openWork(waiting('c'), onTorch('a')), both))).toHaveLength(2);
    });

    it('require version and files if a runner has them, and else offer to any, which refuses the attempt', () => {
      const other = { ...beat(), engines: withTorch('3', 'c') };
      const any = { name: 'torch', version: null };
      expect(told(pending(openWork(onTorch('a')), runners(other)))).toEqual([['a', any]]);
      const exact = { ...beat(), engines: withTorch() };
      expect(told(pending(openWork(onTorch('a')), runners(other, exact)))).toEqual([['a', torch.engine]]);
      const busy = { ...exact, runnerId: 'busy/b1', capacity: { training: 0, evaluation: 0, export: 0 } };
      expect(pending(openWork(onTorch('a')), runners(other, busy))).toEqual([]);
    });

    it("offer an export to a runner with its job's engine, in any version", () => {
      const { engine, baseModel } = torch;
      const data = { exportId: 'a', jobId: 'j', workspaceId: 'w1', attempt: 1, engine, baseModel };
      const metadata = { occurredAt: '2030-01-01T00:00:00.000Z' };
      const requested = { type: 'model-export-requested.v1', data, metadata } as unknown as RecordedEvent;
      const open = evolve(OPEN_EXPORTS, NO_WORK, requested);
      const exporting = (engines: Heartbeat['engines'] = []): Heartbeat => ({
        ...{ ...beat(), engines },
        capacity: { training: 1, evaluation: 1, export: 1 },
      });
      expect(pendingAttempts('export', open, runners(exporting([builtin])), 0)).toEqual([]);
      const both = runners(exporting([builtin]), exporting(withTorch('3')));
      expect(told(pendingAttempts('export', open, both, 0))).toEqual([['a', { name: 'torch', version: null }]]);
    });
  });

  describe('for small trainings', () => {
    const small = <Item extends OpenItem>(item: Item) => ({ ...item, needs: { ...needs, isSmall: true } as const });
    const beside = (...working: AttemptRef[]): Heartbeat => ({ ...beat(...working), beside: ['builtin'] });
    const ids = (open: OpenWork, ...present: Heartbeat[]) =>
      pending(open, runners(...present)).map(({ ref }) => ref.id);

    it('offer one beside a long one, to runners that say so', () => {
      const open = openWork(claimed('long'), waiting('next'), small(waiting('a')), small(waiting('b')));
      expect(ids(open, beside({ id: 'long', attempt: 1 }))).toEqual(['a']);
      expect(ids(open, beat({ id: 'long', attempt: 1 }))).toEqual([]);
    });

    it('keep no room from long ones', () => {
      const open = openWork(small(claimed('a')), waiting('long'), small(waiting('b')));
      expect(ids(open, beside({ id: 'a', attempt: 1 }))).toEqual(['long']);
    });

    it('offer as many as there is room for in all', () => {
      const open = openWork(small(waiting('a')), small(waiting('b')), small(waiting('c')));
      expect(ids(open, beside())).toEqual(['a', 'b']);
      expect(ids(openWork(small(claimed('a')), small(claimed('b')), small(waiting('c'))), beside())).toEqual([]);
    });
  });

  it('count a claimed attempt against capacity before a heartbeat reports it', () => {
    expect(pending(openWork(claimed('a'), waiting('b')), runners(beat()))).toEqual([]);
    expect(pending(openWork(claimed('a'), waiting('b')), runners(beat({ id: 'a', attempt: 1 })))).toEqual([]);
  });

  it('do not repeat an offer while its claim may be on its way', () => {
    const seen = { ...runners(beat()), offeredLately: (_kind: string, ref: AttemptRef) => ref.id === 'a' };
    expect(pending(openWork(waiting('a'), waiting('b')), seen)).toEqual([]);
  });

  it('lose a claimed attempt when its runner is silent for 30 seconds', () => {
    const lose = {
      type: 'lose',
      kind: 'training',
      ref: { id: 'a', attempt: 1 },
      workspaceId: 'w1',
      reason: 'its runner fell silent for 30 s',
    };
    const open = openWork(claimed('a'));
    expect(pending(open, { ...runners(), silentFor: () => SILENCE_MS - 1 })).toEqual([]);
    expect(pending(open, { ...runners(), silentFor: () => SILENCE_MS })).toEqual([lose]);
  });

  it('lose a claimed attempt at once when its runner was restarted', () => {
    const seen = { ...runners(), replaced: (runnerId: string) => runnerId === 'host/b0' };
    expect(pending(openWork(claimed('a', 'host/b0'), claimed('b')), seen)).toEqual([
      {
        type: 'lose',
        kind: 'training',
        ref: { id: 'a', attempt: 1 },
        workspaceId: 'w1',
        reason: 'its runner was restarted',
      },
    ]);
  });

  it('tell a runner to stop an ended attempt, and one that a later attempt replaced', () => {
    const cancel = { type: 'cancel', kind: 'training', ref: { id: 'a', attempt: 1 } };
    const working = runners(beat({ id: 'a', attempt: 1 }));
    expect(pending(openWork(), working)).toEqual([cancel]);
    expect(pending(openWork(claimed('a', 'other/b1', 2)), working)).toEqual([cancel]);
    expect(pending(openWork(claimed('a')), working)).toEqual([]);
  });
});

describe('open work', () => {
  const ASKED_AT = Date.parse('2029-12-31T00:00:00.000Z');
  const metadata = { occurredAt: new Date(ASKED_AT).toISOString(), traceparent: 'of the request' };
  const asked = { waitingSince: ASKED_AT, traceparent: 'of the request' };
  const event = (type: string, data: object) =>
    ({ type, data: { jobId: 'a', ...data }, metadata }) as unknown as RecordedEvent;
  const openAfter = (...events: RecordedEvent[]) =>
    events.reduce((open, each) => evolve(OPEN_TRAINING, open, each), NO_WORK);
  const after = (...events: RecordedEvent[]) => [...openAfter(...events).items.values()];
  const LARGE = { datasets: [{ rows: 50_000 }], configuration: { epochs: 1 } };
  const requested = event('training-job-requested.v1', { workspaceId: 'w1', ...needs, ...LARGE });
  const LOST_AT = Date.parse('2030-01-01T00:00:00.000Z');
  const lost = (attempt: number, cause: string) =>
    event('training-attempt-lost.v2', { attempt, cause, lostAt: new Date(LOST_AT).toISOString() });
  const claim = event('training-attempt-claimed.v1', { attempt: 1, runnerId: 'host/b1' });

  it('begins with a request, and an attempt belongs to the runner that claimed it', () => {
    expect(after(requested)).toEqual([{ ...waiting('a'), ...asked }]);
    expect(after(requested, claim)).toEqual([{ ...claimed('a'), ...asked }]);
  });

  it('continues with the next attempt after a lost one', () => {
    expect(after(requested, claim, lost(1, 'child'))).toEqual([
      { ...waiting('a', 2), ...asked, waitingSince: LOST_AT, notBefore: LOST_AT },
    ]);
  });

  it('retries a lost runner at once, then with growing pauses, and a storage failure after a pause', () => {
    const pauseAfter = (attempt: number, cause: string) =>
      after(requested, lost(attempt, cause))[0]!.notBefore - LOST_AT;
    expect([1, 8, 9, 10, 40].map((attempt) => pauseAfter(attempt, 'runner'))).toEqual([0, 0, 1_000, 2_000, 600_000]);
    expect([1, 2, 40].map((attempt) => pauseAfter(attempt, 'storage'))).toEqual([5_000, 10_000, 600_000]);
    expect([1, 4].map((attempt) => pauseAfter(attempt, 'child'))).toEqual([0, 0]);
  });

  it('remembers whose attempts were claimed last', () => {
    const other = event('training-job-requested.v1', { workspaceId: 'w2', jobId: 'b', ...needs, ...LARGE });
    const claimB = event('training-attempt-claimed.v1', { attempt: 1, runnerId: 'host/b1', jobId: 'b' });
    expect(openAfter(requested, other, claim, claimB).served).toEqual(['w1', 'w2']);
    expect(openAfter(requested, other, claim, claimB, claim).served).toEqual(['w2', 'w1']);
  });

  it('tells since when the oldest waits that a user asked for, and offers each in the trace of its request', () => {
    const open = openAfter(requested);
    expect(queueOf(open)).toEqual({ waiting: 1, taken: 0, oldestAt: ASKED_AT });
    expect(pending(open, runners(beat()), ASKED_AT)).toMatchObject([{ traceparent: 'of the request' }]);
    expect(queueOf(openAfter(requested, claim))).toEqual({ waiting: 0, taken: 1, oldestAt: null });
    expect(queueOf(openAfter(requested, claim, lost(1, 'runner'))).oldestAt).toBe(LOST_AT);
    const automatic: OpenItem = { ...waiting('b'), isAutomatic: true };
    expect(queueOf(openWork(automatic))).toEqual({ waiting: 1, taken: 0, oldestAt: null });
  });

  it.each(['completed', 'failed', 'cancelled', 'deleted'])('excludes a job that is %s', (end) => {
    expect(after(requested, claim, event(`training-job-${end}.v1`, {}))).toEqual([]);
  });
});

describe('the silence of runners, by their heartbeats', () => {
  let now: number;
  let bus: InProcessBus;
  let seen: Runners;
  beforeEach(() => {
    now = 0;
    bus = new InProcessBus();
    seen = new Runners(bus, () => now);
  });
  afterEach(async () => {
    await seen.close();
    await bus.close();
  });
  const soon = () => new Promise((resolve) => setImmediate(resolve));
  /** Advances the clock while the worker keeps hearing itself. */
  const pass = async (ms: number) => {
    for (const until = now + ms; now < until;) {
      now = Math.min(until, now + 1_000);
      seen.callItself();
      await soon();
    }
  };
  const silent = () => seen.silentFor('training', { id: 'a', attempt: 1 });

  it('is counted from the first question about an attempt that no heartbeat reported', async () => {
    await pass(60_000);
    expect(silent()).toBe(0);
    await pass(20_000);
    expect(silent()).toBe(20_000);
    seen.hear(beat({ id: 'a', attempt: 1 }));
    await pass(1_000);
    expect(silent()).toBe(1_000);
  });

  it('excludes time in which this process was stopped or its bus was down', async () => {
    seen.hear(beat({ id: 'a', attempt: 1 }));
    await pass(10_000);
    now += 60_000;
    expect(silent()).toBe(0);
    seen.callItself();
    await soon();
    expect(silent()).toBe(0);
    await pass(29_000);
    expect(silent()).toBe(29_000);
  });

  it('excludes a runner from offers after five seconds', () => {
    seen.hear(beat());
    now = 4_999;
    expect(seen.present()).toHaveLength(1);
    now = 5_000;
    expect(seen.present()).toHaveLength(0);
  });

  it("is final once the runner's name has another boot id", () => {
    seen.hear(beat());
    seen.hear({ ...beat(), bootId: 'b2', runnerId: 'host/b2' });
    expect(seen.replaced('host/b1')).toBe(true);
    expect(seen.replaced('host/b2')).toBe(false);
    expect(seen.replaced('stranger/b1')).toBe(false);
    seen.hear(beat());
    expect(seen.replaced('host/b2')).toBe(false);
  });
});
