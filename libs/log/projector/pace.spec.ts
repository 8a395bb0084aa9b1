import { Pace } from './pace.js';

describe('the pace of the live feed', () => {
  let now = 0;
  const paced = () => {
    now = 0;
    return new Pace(200, 3, () => now);
  };

  it('allows a burst at once, and then a fixed rate', () => {
    const pace = paced();
    expect([pace.step(), pace.step(), pace.step(), pace.step()]).toEqual([0, 0, 0, 5]);
    now += 5;
    expect(pace.step()).toBe(5);
  });

  it('does not delay steps slower than its rate', () => {
    const pace = paced();
    for (let step = 0; step < 100; step += 1) {
      expect(pace.step()).toBe(0);
      now += 5;
    }
  });

  it('saves up no more than its burst', () => {
    const pace = paced();
    now += 60_000;
    expect([pace.step(), pace.step(), pace.step(), pace.step()]).toEqual([0, 0, 0, 5]);
  });

  it('delays the next step longer after one that counts as several', () => {
    const pace = paced();
    expect([pace.step(), pace.step(2.5), pace.step()]).toEqual([0, 2.5, 7.5]);
  });
});
