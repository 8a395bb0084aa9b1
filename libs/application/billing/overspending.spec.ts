import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  coordinationService,
  openSqliteCoordination,
  type SqliteCoordination,
} from '#ports/coordination/sqlite/index.js';
import { ledgerOf, type Ledger } from '#domain/ledger/index.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import { standingFrom } from '#test/support/standing-from.js';
import { AllotmentClosedError } from './allotment.js';
import { Allotments } from './allotments.js';
import { catchUpWithLog } from './catch-up.js';
import { Credits } from './credits.js';
import { heldStanding, spentIn, usedIn } from './held-credits.js';
import { reclaimAllotments } from './reclaim.js';

const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59, 0);
const TEAM = 'team-1';

/** A call as it was recorded. */
interface Recorded {
  readonly chargedTo: string;
  readonly cost: bigint;
}

/** Several processes over one coordination; the log is a list. */
class World {
  clock = NOVEMBER;
  readonly log: Recorded[] = [];
  readonly credits: Credits;
  private ledger: Ledger;
  private processes = new Map<number, Allotments>();

  constructor(
    private readonly coordination: SqliteCoordination,
    paidIn: bigint,
    included: bigint,
    ceiling: bigint | null,
  ) {
    this.ledger = ledgerOf([{ month: '2026-11', ledger: { entries: new Set(), paidIn, included, ceiling } }]);
    this.credits = new Credits(coordination, this.source, () => this.clock);
  }

  get source() {
    return { ledger: async () => this.ledger, spentByMonth: async () => new Map(this.spent()) };
  }

  process(at: number): Allotments {
    const credits = new Credits(this.coordination, this.source, () => this.clock);
    const known = this.processes.get(at) ?? new Allotments(this.coordination, credits, { now: () => this.clock });
    this.processes.set(at, known);
    return known;
  }

  /** The process falls silent and may resume later. */
  forget(at: number): void {
    this.processes.delete(at);
  }

  /** The process dies with its calls in flight. */
  crash(at: number): void {
    this.processes.get(at)?.abandon();
    this.processes.delete(at);
  }

  /** @returns whether it was admitted. A call that a crash cuts off is on the log or not, and nobody learns of it. */
  async call(
    at: number,
    worst: bigint,
    cost: bigint,
    end: 'settled' | 'released' | 'cut off' | 'lost',
  ): Promise<boolean> {
    const obtained = await this.obtain(at, worst);
    if (!obtained) return false;
    await Promise.resolve();
    if (end === 'settled' || end === 'lost') this.log.push({ chargedTo: obtained.chargedTo!, cost });
    if (end === 'settled') obtained.settle(cost);
    if (end === 'released') obtained.release();
    return true;
  }

  async tickAll(ms: number): Promise<void> {
    this.clock += ms;
    for (const process of this.processes.values()) await process.tick();
    await reclaimAllotments({
      coordination: this.coordination,
      credits: this.credits,
      charges: { spent: async (_team, month, holder) => this.costOf(`${month}/${holder}`) },
      name: 'reclaimer',
      now: () => this.clock,
    });
  }

  /** Reconciles the held credits with the log. */
  async catchUp(): Promise<void> {
    const byHolder = async (_team: string, month: string) =>
      new Map(
        this.log
          .filter(({ chargedTo }) => chargedTo.startsWith(`${month}/`))
          .map(({ chargedTo }) => [chargedTo.slice(8), this.costOf(chargedTo)]),
      );
    await catchUpWithLog(this.credits, { seen: byHolder, byHolder });
  }

  async closeAll(): Promise<void> {
    for (const process of this.processes.values()) await process.close();
    this.processes.clear();
  }

  spent(): readonly (readonly [string, bigint])[] {
    const months = new Map<string, bigint>();
    for (const { chargedTo, cost } of this.log) {
      const month = chargedTo.slice(0, 7);
      months.set(month, (months.get(month) ?? 0n) + cost);
    }
    return [...months];
  }

  /** Asserts that no month's calls cost more than it allowed. */
  assertNotOverspent(): void {
    for (const [month, spent] of this.spent())
      expect(spent <= standingFrom(this.ledger, new Map(this.spent()), month).limit).toBe(true);
  }

  expectedStanding(month: string) {
    return standingFrom(this.ledger, new Map(this.spent()), month);
  }

  private async obtain(at: number, worst: bigint) {
    for (;;) {
      const allotments = this.process(at);
      const atHand = allotments.reserveAtHand(TEAM, worst);
      if (atHand) return atHand;
      const allotment = await allotments.of(TEAM);
      try {
        const obtained = await allotment.obtain(worst);
        return 'chargedTo' in obtained ? obtained : null;
      } catch (error) {
        if (!(error instanceof AllotmentClosedError)) throw error;
        allotments.forget(allotment);
      }
    }
  }

  private costOf(chargedTo: string): bigint {
    return this.log.filter((call) => call.chargedTo === chargedTo).reduce((sum, { cost }) => sum + cost, 0n);
  }
}

describe('credits under parallel calls', () => {
  let directory: string;
  let thread: Thread;
  let coordination: SqliteCoordination;
  let world: World;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-credits-'));
    thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    coordination = openSqliteCoordination({ directory, thread, now: () => world.clock });
  });
  afterEach(async () => {
    await coordination.close();
    await thread.close();
    await rm(directory, { recursive: true });
  });

  const amount = fc.bigInt({ min: 0n, max: 1_000n });
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('calls' as const),
        calls: fc.array(
          fc.record({
            at: fc.nat({ max: 2 }),
            worst: fc.bigInt({ min: 1n, max: 200n }),
            /** Share of the worst case that the call costs, in thousandths. */
            share: fc.bigInt({ min: 0n, max: 1_000n }),
            end: fc.constantFrom('settled', 'settled', 'settled', 'released', 'cut off', 'lost'),
          }),
          { maxLength: 12 },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), at: fc.nat({ max: 2 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.nat({ max: 40_000 }) }) },
  );

  it("never exceed a month's allowance and match the log, with several processes that may crash", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          paidIn: amount,
          included: amount,
          ceiling: fc.option(amount),
          steps: fc.array(step, { maxLength: 25 }),
        }),
        async ({ paidIn, included, ceiling, steps }) => {
          world = new World(coordination, paidIn, included, ceiling);
          await coordination.delete(`held-credits:team:${TEAM}`);
          run += 1;
          let cut = new Set<number>();
          for (const each of steps) {
            if (each.kind === 'crash') cut.add(each.at);
            if (each.kind === 'time') await world.tickAll(each.ms);
            if (each.kind === 'calls')
              await Promise.all(
                each.calls.map(({ at, worst, share, end }) => {
                  // A call is cut off or lost because its process dies.
                  if (end === 'cut off' || end === 'lost') cut.add(at);
                  return world.call(at, worst, (worst * share) / 1_000n, end);
                }),
              );
            for (const at of cut) world.crash(at);
            cut = new Set();
            await world.catchUp();
            world.assertNotOverspent();
          }
          await world.closeAll();
          for (let n = 0; n < 4; n += 1) await world.tickAll(40_000);
          const held = (await world.credits.read(TEAM)) ?? null;
          for (const { month, allotments } of held?.months ?? []) {
            expect(allotments).toEqual({});
            expect(heldStanding(held!, month, usedIn)).toEqual(world.expectedStanding(month));
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(run).toBeGreaterThan(0);
  });

  it('can be spent completely, whichever process takes them', async () => {
    world = new World(coordination, 600n, 400n, null);
    const call = (at: number) => world.call(at, 10n, 10n, 'settled');
    const admitted = await Promise.all(Array.from({ length: 150 }, (_, n) => call(n % 3)));
    expect(admitted.filter(Boolean).length).toBeGreaterThan(80);
    // A third process can soon use what two others left over.
    for (let n = 0; n < 3; n += 1) await world.tickAll(4_000);
    while (await call(0));
    expect(world.spent()).toEqual([['2026-11', 1_000n]]);
  });

  it('held by a dead process return to the team', async () => {
    world = new World(coordination, 100n, 0n, null);
    expect(await world.call(0, 100n, 1n, 'lost')).toBe(true);
    world.crash(0);
    expect(await world.call(1, 50n, 50n, 'settled')).toBe(false);
    await world.tickAll(16_000);
    await world.tickAll(76_000);
    expect(await world.call(1, 99n, 99n, 'settled')).toBe(true);
    expect(await world.call(1, 1n, 1n, 'settled')).toBe(false);
  });

  it('are charged for a call that ends a minute after its process was last seen', async () => {
    world = new World(coordination, 100n, 0n, null);
    const obtained = await (await world.process(0).of(TEAM)).obtain(100n);
    world.forget(0);
    await world.tickAll(16_000);
    await world.tickAll(44_000);
    world.log.push({ chargedTo: 'chargedTo' in obtained ? obtained.chargedTo! : '', cost: 70n });
    for (let n = 0; n < 4; n += 1) await world.tickAll(40_000);
    expect(heldStanding((await world.credits.read(TEAM))!, '2026-11', usedIn)).toMatchObject({ used: 70n });
  });

  it('held by a process that slept past its lease cannot be spent', async () => {
    world = new World(coordination, 100n, 0n, null);
    expect(await world.call(0, 100n, 0n, 'settled')).toBe(true);
    const asleep = world.process(0);
    world.forget(0);
    await world.tickAll(16_000);
    await world.tickAll(76_000);
    expect(await world.call(1, 100n, 100n, 'settled')).toBe(true);
    expect(asleep.reserveAtHand(TEAM, 1n)).toBeNull();
    const refusal = await (await asleep.of(TEAM)).obtain(1n);
    expect(refusal).toMatchObject({ available: 0n });
  });

  it('are charged once for calls made while coordination was down', async () => {
    world = new World(coordination, 100n, 0n, null);
    expect(await world.call(0, 10n, 10n, 'settled')).toBe(true);
    const obtained = await (await world.process(0).of(TEAM)).obtain(30n);
    await coordination.delete(`held-credits:team:${TEAM}`);
    expect(await world.call(1, 5n, 5n, 'settled')).toBe(true);
    world.log.push({ chargedTo: 'chargedTo' in obtained ? obtained.chargedTo! : '', cost: 30n });
    if ('settle' in obtained) obtained.settle(30n);
    await world.catchUp();
    await world.catchUp();
    const held = async () => heldStanding((await world.credits.read(TEAM))!, '2026-11', spentIn).used;
    await world.tickAll(4_000);
    expect(await held()).toBe(45n);
    expect(await world.call(0, 56n, 0n, 'settled')).toBe(false);
    await world.closeAll();
    for (let n = 0; n < 4; n += 1) await world.tickAll(40_000);
    await world.catchUp();
    expect(await held()).toBe(45n);
  });

  it('of a new month include its allowance, while running calls are charged to the month that reserved for them', async () => {
    world = new World(coordination, 10n, 100n, null);
    expect(await world.call(0, 100n, 90n, 'settled')).toBe(true);
    const allotment = await world.process(0).of(TEAM);
    const open = await allotment.obtain(20n);
    expect('chargedTo' in open && open.chargedTo).toMatch(/^2026-11\//);
    await world.tickAll(61_000);
    expect(await world.call(0, 100n, 100n, 'settled')).toBe(true);
    if ('settle' in open) {
      world.log.push({ chargedTo: open.chargedTo!, cost: 20n });
      open.settle(20n);
    }
    await world.closeAll();
    for (let n = 0; n < 4; n += 1) await world.tickAll(40_000);
    expect(new Map(world.spent())).toEqual(
      new Map([
        ['2026-11', 110n],
        ['2026-12', 100n],
      ]),
    );
    const held = await world.credits.read(TEAM);
    expect(heldStanding(held!, '2026-12', spentIn)).toMatchObject({ balance: 0n, available: 0n });
  });
});
