import { v7 as uuid7 } from 'uuid';
import { AccountBook } from '#application/accounts/index.js';
import { callerContext, type Caller } from '#application/caller.js';
import { BillingGate, creditsOf, reclaimAllotments, worstCase } from '#application/billing/index.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import { BillingError } from '#domain/errors.js';
import { cost } from '#domain/inference/index.js';
import { CREDITS_PREFIX } from '#application/billing/held-credits.js';
import { chargesByLog } from '#use-cases/billing/work/reclaiming.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { inDollars } from './dollars.js';

const CALLS = 2_000;
const PRICES = [
  { input: '150000', output: '150000', cacheRead: '15000', cacheWrite: '187500' },
  { input: '3000001', output: '15000007', cacheRead: '300000', cacheWrite: '3750013' },
];

describe('rebill', () => {
  let api: TestSystem;
  let caller: Caller;
  /** Seeded, so that a failure is reproducible. */
  let random: (below: number) => number;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    let state = 42;
    random = (below) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    const { team_id: teamId, user_id: userId, workspace_id: workspaceId } = (await api.call('GET', '/account')).body;
    const [key] = (await api.call('GET', '/list-api-keys')).body.keys as { id: string }[];
    caller = { kind: 'key', userId, teamId, workspaceId, keyId: key!.id };
  });
  afterAll(() => api.close());

  /** A call as it is made by a process: admitted, recorded, settled. @returns whether it was admitted */
  async function call(
    gate: BillingGate,
    recorder: CallRecorder,
    end: 'answered' | 'failed' | 'cut off',
  ): Promise<boolean> {
    const price = PRICES[random(PRICES.length)]!;
    const provider = random(2) === 0 ? { name: 'p', model: 'm' } : null;
    const entry = { id: `org/model-${random(3)}`, provider, blocked_regions: [] };
    const most = { input: 500 + random(2_000), output: random(500) };
    let reservation;
    try {
      reservation = await gate.admit({ caller, entry, worstCase: worstCase(price, most) });
    } catch (error) {
      if (error instanceof BillingError) return false;
      throw error;
    }
    if (end === 'cut off') return true;
    const cacheReadTokens = random(100);
    const usage =
      end === 'failed'
        ? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
        : {
            inputTokens: random(300),
            outputTokens: random(most.output + 1),
            cacheReadTokens,
            cacheWriteTokens: random(100),
          };
    const inferenceId = uuid7();
    const context = callerContext(caller, { requestId: inferenceId, commandId: inferenceId });
    const costPicodollars = cost(usage, price);
    await recorder.record(
      {
        metered: {
          ...{ inferenceId, teamId: caller.teamId, userId: caller.userId, modelId: entry.id, baseModel: entry.id },
          ...{ keyId: random(10) === 0 ? null : caller.keyId, trainingJobId: null, projectId: null, task: 'generate' },
          ...{ source: 'api', format: 'native', latencyMs: 1, ttftMs: null, ...usage, price, at: context.now },
          status: end === 'failed' ? 'failed' : 'success',
          errorType: end === 'failed' ? 'internal' : null,
          costPicodollars: String(costPicodollars),
          chargedTo: reservation.chargedTo,
        },
        content: null,
      },
      { ...context, workspaceId: caller.workspaceId },
    );
    reservation.settle(costPicodollars);
    return true;
  }

  const differences = async () => (await operate(api, 'rebill')).filter(({ kind }) => kind === 'difference');

  it('finds no difference before any call', async () => {
    expect(await operate(api, 'rebill')).toMatchObject([{ kind: 'bill', calls: 0, dollars: '0.00', differences: 0 }]);
  });

  it('finds none after thousands of calls, with failures, corrections, limits and dead processes', async () => {
    const { application } = api;
    const accounts = api.app.get(AccountBook);
    const recorder = () => new CallRecorder(application.ports, () => 'hmac');
    const process = () => ({ gate: new BillingGate(application, accounts), recorder: recorder() });
    let processes = [process(), process(), process()];
    let admitted = 0;
    const batch = async (size: number) => {
      const ends = Array.from({ length: size }, () => (random(8) === 0 ? ('failed' as const) : ('answered' as const)));
      const done = await Promise.all(
        ends.map((end, n) =>
          call(processes[n % processes.length]!.gate, processes[n % processes.length]!.recorder, end),
        ),
      );
      admitted += done.filter(Boolean).length;
    };
    // Before credits are enforced, calls are counted but charged to nobody.
    for (let n = 0; n < 4; n += 1) await batch(CALLS / 20);
    expect(admitted).toBe(CALLS / 5);
    await operate(api, 'billing.enforce', { enforced: true });
    await operate(api, 'credits.monthly', { dollars: '0.2' });
    await operate(api, 'credits.add', { dollars: '1' });
    for (let n = 0; n < 16; n += 1) {
      await batch(CALLS / 20);
      if (n === 4) await operate(api, 'credits.correct', { dollars: '-0.25', reason: 'refund' });
      if (n === 8) {
        // Three processes die with calls in flight; others replace them.
        for (const { gate, recorder: of } of processes) await call(gate, of, 'cut off');
        for (const { gate } of processes) gate.allotments.abandon();
        processes = [process(), process(), process()];
      }
      if (n === 12) await operate(api, 'credits.ceiling', { dollars: '0.7' });
    }
    // Some calls were refused: the credits ran out.
    expect(admitted).toBeGreaterThan(CALLS / 4);
    expect(admitted).toBeLessThan(CALLS);
    expect(await differences()).toEqual([]);

    // Eventually all allotments are returned, those of dead processes too; the held figure then equals the log's.
    for (const { gate } of processes) await gate.close();
    await reclaimAll();
    const held = (await creditsOf(application).read(caller.teamId))!;
    expect(held.months.map(({ allotments }) => allotments)).toEqual(held.months.map(() => ({})));
    const [bill] = (await operate(api, 'rebill')) as { calls: number; differences: number }[];
    expect(bill).toMatchObject({ kind: 'bill', calls: admitted, differences: 0 });
    const { credits } = (await api.call('GET', '/account')).body;
    expect(credits.spent).toBeLessThanOrEqual(0.2 + 0.75);
    expect(credits.paid_balance).toBeCloseTo(0.75 - credits.overage, 10);
  });

  it('names each difference: in coordination, and in a call whose cost is not its usage times its price', async () => {
    const { coordination } = api.application.ports;
    const entry = (await coordination.get(CREDITS_PREFIX + caller.teamId))!;
    const held = entry.value as { months: { settled: string }[] };
    const [month] = held.months;
    const changed = { ...held, months: [{ ...month, settled: String(BigInt(month!.settled) + 1n) }] };
    await coordination.compareAndSet(entry.key, { kind: 'version', version: entry.version }, changed);
    const [found] = await differences();
    expect(found).toMatchObject({
      what: expect.stringContaining('settled'),
      found: `$${inDollars(BigInt(month!.settled) + 1n)}`,
    });
    const written = (await coordination.get(CREDITS_PREFIX + caller.teamId))!;
    await coordination.compareAndSet(entry.key, { kind: 'version', version: written.version }, held);
    expect(await differences()).toEqual([]);
  });

  it("names a key's budget of which more is counted than its calls have cost", async () => {
    await operate(api, 'billing.enforce', { enforced: false });
    const signedIn = { authorization: `Bearer ${api.session}` };
    const limits = { name: 'limited', budget: 1, budget_period: 'month' };
    const { body: key } = await api.call('POST', '/create-api-key', limits, signedIn);
    const asked = { model_id: 'anneal/encoder-base-v1', text: 'Ada', schema: ['person'] };
    await api.until(
      () => api.call('POST', '/inference', asked, { 'x-api-key': key.secret_key }),
      ({ status }) => status === 200,
    );
    await api.drained();
    expect(await differences()).toEqual([]);
    const { coordination } = api.application.ports;
    const [entry] = await coordination.list(`held-credits:key:${key.id}/`, 1);
    const held = entry!.value as { months: { settled: string }[] };
    // More: workers add what is missing.
    const settled = '999999999';
    const { version } = (await coordination.get(entry!.key))!;
    const changed = { ...held, months: [{ ...held.months[0], settled, allotments: {} }] };
    expect(await coordination.compareAndSet(entry!.key, { kind: 'version', version }, changed)).not.toBeNull();
    expect(await differences()).toMatchObject([
      { what: `API key ${key.id}, used of its budget`, found: `$${inDollars(BigInt(settled))}` },
    ]);
  });

  /** Does what workers do within a minute. */
  async function reclaimAll(): Promise<void> {
    const { application } = api;
    const { coordination, bus } = application.ports;
    const charges = chargesByLog(application, () => projectionsOverBus(bus).status());
    const credits = creditsOf(application);
    const anyLease = { ...coordination, acquireLease: async () => ({ name: '', holder: '', token: 0 }) };
    for (let minute = 1; ; minute += 1) {
      const now = () => Date.now() + minute * 60_000;
      await reclaimAllotments({ coordination: anyLease, credits, charges, name: 'test', now });
      const held = await credits.read(caller.teamId);
      if (held!.months.every(({ allotments }) => Object.keys(allotments).length === 0)) return;
    }
  }
});
