import { InvalidError } from '#domain/errors.js';
import { fineTuningOrder } from './decode.js';

const body = { model: 'm', training_file: 'file-1' };
const refused = (more: object) => {
  try {
    fineTuningOrder({ ...body, ...more });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    return error.fields.map(({ path }) => path.slice(1).join('.'));
  }
};

describe('the body of a fine-tuning job', () => {
  it('leaves values that are auto or omitted to the engine', () => {
    const hyperparameters = { n_epochs: 'auto', batch_size: 'auto', learning_rate_multiplier: 'auto' };
    const nothing = { epochs: null, batchSize: null, learningRateMultiplier: null, beta: null };
    expect(fineTuningOrder(body)).toMatchObject({ method: null, suffix: null, seed: null, ...nothing });
    expect(fineTuningOrder({ ...body, hyperparameters })).toMatchObject(nothing);
  });

  it('may give hyperparameters in either place', () => {
    const hyperparameters = { n_epochs: 3, batch_size: 4, learning_rate_multiplier: 0.5 };
    const read = { epochs: 3, batchSize: 4, learningRateMultiplier: 0.5 };
    expect(fineTuningOrder({ ...body, hyperparameters })).toMatchObject({ method: null, ...read });
    const supervised = { type: 'supervised', supervised: { hyperparameters } };
    expect(fineTuningOrder({ ...body, method: supervised })).toMatchObject({ method: 'supervised', ...read });
    const dpo = { type: 'dpo', dpo: { hyperparameters: { ...hyperparameters, beta: 0.2 } } };
    expect(fineTuningOrder({ ...body, method: dpo })).toMatchObject({ method: 'dpo', ...read, beta: 0.2 });
  });

  it.each([
    [{ model: '' }, ['model']],
    [{ training_file: undefined }, ['training_file']],
    [{ validation_file: 2 }, ['validation_file']],
    [{ integrations: [{ type: 'wandb', wandb: { project: 'p' } }] }, ['integrations']],
    [{ method: { type: 'reinforcement' } }, ['method.type']],
    [{ method: {} }, ['method.type']],
    [{ method: { type: 'supervised', dpo: {} } }, ['method.dpo']],
    [{ method: { type: 'dpo', dpo: { hyperparameters: { beta: 0 } } } }, ['method.dpo.hyperparameters.beta']],
    [{ hyperparameters: { beta: 0.1 } }, ['hyperparameters.beta']],
    [{ hyperparameters: { n_epochs: 0, batch_size: 1.5 } }, ['hyperparameters.n_epochs', 'hyperparameters.batch_size']],
    [{ hyperparameters: {}, method: { type: 'supervised', supervised: { hyperparameters: {} } } }, ['hyperparameters']],
    [{ suffix: 'x'.repeat(65) }, ['suffix']],
    [{ seed: -1 }, ['seed']],
    [{ metadata: { a: 1 } }, ['metadata.a']],
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, key) => [key, 'x'])) }, ['metadata']],
    [{ frobnicate: 1 }, ['frobnicate']],
  ])('is refused by name: %j', (more, fields) => {
    expect(refused(more)).toEqual(fields);
  });

  it('may give an empty list of integrations, and no validation file', () => {
    expect(refused({ integrations: [], validation_file: null })).toEqual([]);
    expect(fineTuningOrder(body)).toMatchObject({ trainingFile: 'file-1', validationFile: null });
    expect(fineTuningOrder({ ...body, validation_file: 'file-2' })).toMatchObject({ validationFile: 'file-2' });
  });
});
