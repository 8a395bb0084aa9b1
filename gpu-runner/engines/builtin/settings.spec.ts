import { describe, expect, it } from '@jest/globals';
import type { SettingsFacts } from '../engine.js';
import { resolveSettings } from './settings.js';

const facts = (changes: Partial<SettingsFacts> = {}): SettingsFacts => ({
  trainingType: 'lora',
  rows: 500,
  entityRows: 500,
  classSizes: [],
  multiLabel: false,
  ...changes,
});

describe('settings', () => {
  it('keeps the values that the user gave, even zero', () => {
    const given = {
      epochs: 1,
      learningRate: 1e-3,
      batchSize: 3,
      earlyStoppingPatience: 0,
      loraR: 2,
      loraAlpha: 1,
      loraDropout: 0,
      scheduler: 'constant',
      warmupRatio: 0,
      weightDecay: 0,
      saveSteps: 7,
      seed: 0,
    } as const;
    expect(resolveSettings(facts(), given)).toEqual({ ...given, trainingType: 'lora', multiLabel: false });
  });

  it('uses a learning rate that is not far from the default, and keeps what was asked for', () => {
    expect(resolveSettings(facts(), { learningRate: 1e-9 })).toMatchObject({
      learningRate: 2.5e-5,
      learningRateAsked: 1e-9,
    });
    expect(resolveSettings(facts({ trainingType: 'full' }), { learningRate: 10 })).toMatchObject({
      learningRate: 4e-4,
      learningRateAsked: 10,
    });
  });

  it('trains longer on fewer rows', () => {
    const epochs = (rows: number) => resolveSettings(facts({ rows })).epochs;
    expect(epochs(1000)).toBeGreaterThanOrEqual(20);
    expect(epochs(1001)).toBe(10);
    expect(epochs(5000)).toBe(10);
    expect(epochs(5001)).toBeGreaterThanOrEqual(6);
    expect(epochs(5001)).toBeLessThanOrEqual(8);
    expect(resolveSettings(facts({ rows: 40, entityRows: 0, classSizes: [20, 20] })).epochs).toBeLessThan(
      resolveSettings(facts({ rows: 40, entityRows: 0, classSizes: [5, 5, 5, 5, 5, 5, 5, 5] })).epochs,
    );
  });

  it("scales alpha with the rank, so that the adapter's scale stays the same", () => {
    expect(resolveSettings(facts())).toMatchObject({ loraR: 16, loraAlpha: 32, loraDropout: 0.1 });
    expect(resolveSettings(facts(), { loraR: 8 }).loraAlpha).toBe(16);
  });

  it('shows the learning rate of the training type', () => {
    expect(resolveSettings(facts()).learningRate).toBe(2e-4);
    expect(resolveSettings(facts({ trainingType: 'full' })).learningRate).toBe(5e-5);
  });
});
