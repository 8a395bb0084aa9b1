import type { TrainingConfiguration } from '#domain/training-job/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import type { ClaimedDatasets } from '../datasets/dataset-claims.js';
import { requireOfKind, resolveConfiguration } from './configuration.js';
import type { ResolvedModel } from '../models/model-resolver.js';

const ROWS: ClaimedDatasets = {
  ...{
    pins: [],
    excluded: [],
    rows: 100,
    taskType: 'ner',
    labels: [],
    multiLabel: false,
    classLabels: [],
    classTasks: [],
  },
  ...{ entityRows: 100, classRows: 0, structureRows: 0, relationRows: 0, isPreferences: false },
};

const model = { generates: false, adapter: null, baseModel: { id: 'anneal/encoder-base-v1', sha256: '' } };

describe('the configuration of a training', () => {
  it('has the type that suits base model and rows, unless something says lora', () => {
    const [facts] = builtin.baseModels;
    const engine = { ...builtin, baseModels: [{ ...facts!, typeForStretches: 'full' as const }] };
    const classes = { ...ROWS, entityRows: 0, classRows: 100, classLabels: ['a', 'b'] };
    const order = { base_model: 'any', datasets: [] };
    const typeOf = (changes: object, rows = ROWS, on: object = {}) =>
      resolveConfiguration({ ...order, ...changes }, rows, { ...model, engine, ...on }).trainingType;
    expect([typeOf({}), typeOf({}, classes), typeOf({}, ROWS, { engine: builtin })]).toEqual(['full', 'lora', 'lora']);
    expect([typeOf({ training_type: 'lora' }), typeOf({ lora_r: 8 })]).toEqual(['lora', 'lora']);
    expect(typeOf({}, ROWS, { adapter: { objectPrefix: 'p', files: [] } })).toBe('lora');
    expect(typeOf({ training_type: 'full' }, classes)).toBe('full');
  });

  it('keeps no base model in 4 bits that is expanded when it is loaded', () => {
    const [facts] = builtin.baseModels;
    const on = (isExpanded: object) =>
      requireOfKind({ base_model: 'any', datasets: [], load_in_4bit: true }, {
        ...{ ...model, generates: true },
        engine: { ...builtin, baseModels: [{ ...facts!, id: model.baseModel.id, ...isExpanded }] },
      } as unknown as ResolvedModel);
    expect(() => on({})).not.toThrow();
    expect(() => on({ isExpanded: true })).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ path: ['body', 'load_in_4bit'] })] }) as Error,
    );
  });

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
    expect(resolveConfiguration(order, ROWS, { ...model, engine, generates: true }, { heldOut: held })).toMatchObject({
      ...configuration,
      splitGroups: [80, 20],
    });
  });
});
