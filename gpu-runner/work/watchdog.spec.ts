import { jest } from '@jest/globals';
import { Watchdog } from './watchdog.js';

describe('a watchdog', () => {
  let silences: number;
  let watchdog: Watchdog;
  beforeEach(() => {
    jest.useFakeTimers();
    silences = 0;
    watchdog = new Watchdog(10_000, () => (silences += 1));
  });
  afterEach(() => {
    watchdog.stop();
    jest.useRealTimers();
  });

  it('reports a silence of the set time once', () => {
    jest.advanceTimersByTime(9_500);
    expect(silences).toBe(0);
    jest.advanceTimersByTime(500);
    expect(silences).toBe(1);
    jest.advanceTimersByTime(100_000);
    expect(silences).toBe(1);
  });

  it('restarts its timer whenever the process is heard', () => {
    for (let times = 0; times < 10; times += 1) {
      jest.advanceTimersByTime(9_000);
      watchdog.heard();
    }
    expect(silences).toBe(0);
    jest.advanceTimersByTime(10_000);
    expect(silences).toBe(1);
  });

  it('does not count time in which the runner itself did not run', () => {
    jest.setSystemTime(Date.now() + 3_600_000);
    jest.advanceTimersByTime(500);
    expect(silences).toBe(0);
  });
});
