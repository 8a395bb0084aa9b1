import { jest } from '@jest/globals';
import { WriteProbe } from './write-probe.js';

describe('the check whether a log takes writes', () => {
  let answers: (boolean | Error)[];
  let probes: number;
  let probe: WriteProbe;
  beforeEach(() => {
    jest.useFakeTimers();
    [answers, probes] = [[], 0];
    probe = new WriteProbe(async () => {
      probes += 1;
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    });
  });
  afterEach(() => jest.useRealTimers());

  it('probes before the first write', async () => {
    answers = [false];
    expect(await probe.takesWrites()).toBe(false);
  });

  it('relies on writes while they succeed', async () => {
    probe.wrote('stored');
    probe.wrote('wrong-revision');
    expect(await probe.takesWrites()).toBe(true);
    expect(probes).toBe(0);
  });

  it('probes at most once a second after a failed write, until one succeeds', async () => {
    answers = [new Error('gone'), true];
    probe.wrote('unavailable');
    expect(await Promise.all([probe.takesWrites(), probe.takesWrites()])).toEqual([false, false]);
    jest.advanceTimersByTime(999);
    expect(await probe.takesWrites()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await probe.takesWrites()).toBe(true);
    jest.advanceTimersByTime(1_000);
    expect(await probe.takesWrites()).toBe(true);
    expect(probes).toBe(2);
  });
});
