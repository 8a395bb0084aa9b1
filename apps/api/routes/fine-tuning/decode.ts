import { MAX_EPOCHS } from '#domain/training-job/index.js';
import { isPrintable } from '#domain/printable.js';
import { kindOf, Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { FineTuningOrder } from '#use-cases/fine-tuning/commands.js';
import { readMetadata } from '../files/metadata.js';
import { MAX_BATCH_SIZE, MAX_BETA, MAX_MULTIPLIER, MAX_SEED, MAX_SUFFIX, MIN_BETA } from './dto.js';

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];
type Hyperparameters = Pick<FineTuningOrder, 'epochs' | 'batchSize' | 'learningRateMultiplier' | 'beta'>;

interface Method {
  readonly type: FineTuningOrder['method'];
  readonly hyperparameters: Hyperparameters;
}

const FIELDS = new Set([
  ...['model', 'training_file', 'validation_file', 'method', 'hyperparameters'],
  ...['suffix', 'seed', 'metadata', 'integrations'],
]);
const OF_SUPERVISED = ['n_epochs', 'batch_size', 'learning_rate_multiplier'];
const OF_DPO = [...OF_SUPERVISED, 'beta'];
const NOTHING: Hyperparameters = { epochs: null, batchSize: null, learningRateMultiplier: null, beta: null };

/** @throws InvalidError naming every field that was refused */
export function fineTuningOrder(body: unknown): FineTuningOrder {
  const read = new Reader();
  const fields = read.fields(body, FIELDS);
  refuseLacking(read, fields);
  const method = methodOf(read, fields.method);
  const request = {
    model: read.string(fields.model, ['model']).slice(0, 200),
    trainingFile: read.string(fields.training_file, ['training_file'], 'the id of a file'),
    validationFile: isPresent(fields.validation_file) ? read.string(fields.validation_file, ['validation_file']) : null,
    method: method.type,
    ...(isPresent(fields.hyperparameters)
      ? hyperparametersOf(read, fields.hyperparameters, ['hyperparameters'], OF_SUPERVISED)
      : method.hyperparameters),
    suffix: suffixOf(read, fields.suffix),
    seed: read.integer(fields.seed, ['seed'], [0, MAX_SEED]) ?? null,
    metadata: readMetadata(read, fields.metadata),
  };
  if (isPresent(fields.hyperparameters) && method.hyperparameters !== NOTHING)
    read.refuse(['hyperparameters'], 'must not be sent with method; leave it out', 'not_allowed');
  read.done();
  return request;
}

/** Refuses by name what OpenAI's service does and this one does not. */
function refuseLacking(read: Reader, { integrations }: Fields): void {
  const isAsked = isPresent(integrations) && !(Array.isArray(integrations) && integrations.length === 0);
  if (isAsked)
    read.refuse(['integrations'], 'are not supported; leave them out, and read /events of the job', 'not_allowed');
}

function methodOf(read: Reader, given: unknown): Method {
  if (!isPresent(given)) return { type: null, hyperparameters: NOTHING };
  if (!isRecord(given)) {
    read.refuse(['method'], `must be an object, not ${kindOf(given)}`, 'wrong_type');
    return { type: null, hyperparameters: NOTHING };
  }
  read.known(given, new Set(['type', 'supervised', 'dpo']), ['method']);
  const type = read.oneOf(given.type, ['method', 'type'], ['supervised', 'dpo']) ?? null;
  if (!isPresent(given.type)) read.refuse(['method', 'type'], 'is required and must be supervised or dpo', 'missing');
  if (type === null) return { type, hyperparameters: NOTHING };
  const other = type === 'dpo' ? 'supervised' : 'dpo';
  if (isPresent(given[other]))
    read.refuse(['method', other], `does not belong to a method of type ${type}; leave it out`, 'not_allowed');
  const settings = given[type];
  if (!isPresent(settings)) return { type, hyperparameters: NOTHING };
  if (!isRecord(settings)) {
    read.refuse(['method', type], `must be an object, not ${kindOf(settings)}`, 'wrong_type');
    return { type, hyperparameters: NOTHING };
  }
  read.known(settings, new Set(['hyperparameters']), ['method', type]);
  if (!isPresent(settings.hyperparameters)) return { type, hyperparameters: NOTHING };
  const names = type === 'dpo' ? OF_DPO : OF_SUPERVISED;
  const path = ['method', type, 'hyperparameters'];
  return { type, hyperparameters: hyperparametersOf(read, settings.hyperparameters, path, names) };
}

function hyperparametersOf(read: Reader, given: unknown, path: Path, names: readonly string[]): Hyperparameters {
  if (!isRecord(given)) {
    read.refuse(path, `must be an object, not ${kindOf(given)}`, 'wrong_type');
    return NOTHING;
  }
  read.known(given, new Set(names), path);
  const value = (name: string) => (given[name] === 'auto' ? null : given[name]);
  const multiplier = read.number(
    value('learning_rate_multiplier'),
    [...path, 'learning_rate_multiplier'],
    [Number.MIN_VALUE, MAX_MULTIPLIER],
  );
  return {
    epochs: read.integer(value('n_epochs'), [...path, 'n_epochs'], [1, MAX_EPOCHS]) ?? null,
    batchSize: read.integer(value('batch_size'), [...path, 'batch_size'], [1, MAX_BATCH_SIZE]) ?? null,
    learningRateMultiplier: multiplier ?? null,
    beta: read.number(value('beta'), [...path, 'beta'], [MIN_BETA, MAX_BETA]) ?? null,
  };
}

function suffixOf(read: Reader, given: unknown): string | null {
  if (!isPresent(given)) return null;
  const suffix = read.string(given, ['suffix']);
  if (suffix.length > MAX_SUFFIX || !isPrintable(suffix))
    read.refuse(['suffix'], `must have 1 to ${MAX_SUFFIX} printable characters`, 'out_of_range');
  return suffix;
}
