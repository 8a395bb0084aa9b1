import type { TrainingConfiguration } from '#domain/training-job/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import type { ClaimedDatasets } from '../datasets/dataset-claims.js';
import { resolveConfiguration } from './configuration.js';

const ROWS: ClaimedDatasets = {
  ...{ pins: [], excluded: [], rows: 100, taskType: 'ner', labels: [], multiLabel: false, classLabels: [] },
  ...{ entityRows: 100, classRows: 0, structureRows: 0, relationRows: 0, isPreferences: false },
};

describe('the configuration of a training', () => {
  it('is copied whole from another job, down to settings that no field of a request has', () => {
    const configuration = {
      ...{ trainingType: 'full', epochs: 7, learningRate: 0.003, batchSize: 3, earlyStoppingPatience: 2 },
      ...{ loraR: 5, loraAlpha: 9, loraDropout: 0.1, scheduler: 'cosine', warmupRatio: 0.2, weightDecay: 0.3 },
      ...{ saveSteps: 0, seed: 11, splitSeed: 12, validationShare: 0.2, multiLabel: false, ofALaterRelease: 'kept' },
      decoder: { packing: true, gradientCheckpointing: true, loadIn4bit: false, beta: null },
    } as unknown as TrainingConfiguration;
    const engine = { ...builtin, resolveSettings: (facts: object, given: object) => ({ ...facts, ...given }) as never };
    const order = { base_model: 'any', datasets: [], configuration };
    const held = { share: 0.2, seed: 12, groups: [80, 20], byTextFrom: 0 };
    expect(resolveConfiguration(order, ROWS, { engine, generates: true }, { heldOut: held })).toMatchObject({
      ...configuration,
      splitGroups: [80, 20],
    });
  });
});
