import { Pace } from './pace.js';

describe('a pace', () => {
  let now = 0;
  const paced = () => {
    now = 0;
    const pace = new Pace(200, 3, () => now);
    /** Milliseconds from a step to the next. */
    const wait = () => {
      pace.step();
      return pace.next - now;
    };
    return { wait };
  };

  it('allows a burst at once, and then a fixed rate', () => {
    const { wait } = paced();
    expect([wait(), wait(), wait(), wait()]).toEqual([0, 0, 0, 5]);
    now += 5;
    expect(wait()).toBe(5);
  });

  it('does not delay steps slower than its rate', () => {
    const { wait } = paced();
    for (let step = 0; step < 100; step += 1) {
      expect(wait()).toBe(0);
      now += 5;
    }
  });

  it('saves up no more than its burst', () => {
    const { wait } = paced();
    now += 60_000;
    expect([wait(), wait(), wait(), wait()]).toEqual([0, 0, 0, 5]);
  });
});
