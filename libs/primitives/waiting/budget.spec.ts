import { UnavailableError } from '#domain/errors.js';
import { Budget, type BudgetOptions } from './budget.js';

const HOUR_MS = 3_600_000;

const budget = (options: Partial<BudgetOptions> = {}) =>
  new Budget({ total: 10, maxWaiting: 5, maxWaitMs: HOUR_MS, busy: 'too many wait', ...options });

/** Takes without awaiting, and logs when it is let in. */
const taken = (from: Budget, log: string[], amount: number, key: string) => {
  const holding = from.take(amount, key).then((giveBack) => (log.push(`${key}${amount}`), giveBack));
  holding.catch(() => undefined);
  return holding;
};
const turn = () => new Promise(setImmediate);

describe('budget', () => {
  it('never holds more than its total, and admits waiting callers as soon as there is room', async () => {
    const from = budget();
    const log: string[] = [];
    const first = await taken(from, log, 6, 'a');
    const second = taken(from, log, 6, 'b');
    await turn();
    expect([log, from.held]).toEqual([['a6'], 6]);
    first();
    first();
    await second;
    expect([log, from.held]).toEqual([['a6', 'b6'], 6]);
    (await second)();
    expect(from.held).toBe(0);
  });

  it('gives keys turns, however often each has asked', async () => {
    const from = budget({ total: 1 });
    const log: string[] = [];
    const askers = ['a', 'a', 'a', 'a', 'b', 'c'];
    await Promise.all(askers.map(async (key) => (await taken(from, log, 1, key))()));
    expect(log).toEqual(['a1', 'a1', 'b1', 'c1', 'a1', 'a1']);
  });

  it('lets one key hold its share, and others pass its waiting callers', async () => {
    const from = budget({ perKey: 4 });
    const log: string[] = [];
    const first = await taken(from, log, 4, 'a');
    void taken(from, log, 1, 'a');
    void taken(from, log, 4, 'b');
    await turn();
    expect(log).toEqual(['a4', 'b4']);
    first();
    await turn();
    expect(log).toEqual(['a4', 'b4', 'a1']);
  });

  it('does not let small amounts pass a large one forever', async () => {
    const from = budget();
    const log: string[] = [];
    const first = await taken(from, log, 8, 'a');
    void taken(from, log, 9, 'b');
    void taken(from, log, 1, 'c');
    await turn();
    expect(log).toEqual(['a8']);
    first();
    await turn();
    expect(log).toEqual(['a8', 'b9', 'c1']);
  });

  it('holds an amount beyond its total alone', async () => {
    const from = budget();
    const giveBack = await from.take(1_000, 'a');
    expect(from.held).toBe(10);
    giveBack();
    expect(from.held).toBe(0);
  });

  it("refuses callers beyond the queue's limit, and those who waited too long, and forgets them", async () => {
    const from = budget({ maxWaiting: 1, maxWaitMs: 1 });
    const giveBack = await from.take(10, 'a');
    const waiting = from.take(1, 'b');
    await expect(from.take(1, 'b')).rejects.toThrow('too many wait; try again');
    await expect(waiting).rejects.toThrow(UnavailableError);
    giveBack();
    expect(from.held).toBe(0);
    (await from.take(10, 'b'))();
  });
});
