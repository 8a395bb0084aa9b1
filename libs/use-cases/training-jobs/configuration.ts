import { InvalidError } from '#domain/errors.js';
import {
  MAX_STEP_CHECKPOINTS,
  settingsInFields,
  type DecoderSettings,
  type HeldOutRows,
  type TrainingConfiguration,
  type TrainingType,
} from '#domain/training-job/index.js';
import type { EngineFacts } from '#gpu-runner/contract/engines.js';
import { isPresent } from '#primitives/values.js';
import type { ResolvedModel } from '../models/model-resolver.js';
import type { ClaimedDatasets } from '../datasets/dataset-claims.js';
import { trainingTypeOf, type TrainingJobOrder } from './order.js';

const DEFAULT_VALIDATION_SHARE = 0.1;

/**
 * Every value that a job runs with: the caller's where given, else the engine's default for such rows.
 * @param multiplier of the engine's learning rate; null to use it unchanged
 * @param heldOut rows that are held out; null for a share of all
 * @throws InvalidError when the engine does not accept the multiplied rate
 */
export function resolveConfiguration(
  body: TrainingJobOrder,
  datasets: ClaimedDatasets,
  model: Pick<ResolvedModel, 'engine' | 'generates' | 'baseModel' | 'adapter'>,
  { multiplier = null, heldOut = null }: { multiplier?: number | null; heldOut?: HeldOutRows | null } = {},
): TrainingConfiguration {
  const { engine, generates } = model;
  const validationShare = heldOut?.share ?? body.validation_data_percentage ?? DEFAULT_VALIDATION_SHARE;
  const trained = (rows: number) => rows - Math.round(rows * validationShare);
  const { classLabels, classTasks, classRows, entityRows, structureRows, relationRows, multiLabel } = datasets;
  const rows = Math.max(1, trained(datasets.rows));
  const of = {
    trainingType: typeOf(body, model, Math.max(entityRows, structureRows, relationRows) > 0),
    rows,
    entityRows: trained(Math.max(entityRows, structureRows, relationRows)),
    // Only the runner knows the distribution over the classes; an even one is the best guess.
    classSizes: classLabels.map(() => trained(classRows) / classLabels.length),
    multiLabel,
    isPreferences: datasets.isPreferences,
  };
  const given = body.configuration ?? settingsInFields(body);
  const byDefault = engine.resolveSettings(of, given);
  const learningRate = byDefault.learningRate * (multiplier ?? 1);
  if (multiplier !== null) requireInRange({ learning_rate: learningRate }, engine);
  const settings = multiplier === null ? byDefault : engine.resolveSettings(of, { ...given, learningRate });
  const heads =
    [entityRows, classRows, structureRows, relationRows].filter((each) => each > 0).length + classTasks.length;
  // Decoders have no heads.
  const steps = settings.epochs * Math.ceil(rows / settings.batchSize) * Math.max(1, heads);
  return {
    ...settings,
    saveSteps: thinnedSaveSteps(settings.saveSteps, steps),
    validationShare,
    splitSeed: heldOut?.seed ?? settings.seed,
    ...(heldOut?.groups && { splitGroups: heldOut.groups }),
    splitByTextFrom: heldOut?.byTextFrom ?? 0,
    ...(heldOut?.wholeGroup !== undefined && { splitWholeGroup: heldOut.wholeGroup }),
    ...(heldOut?.correctsFrom !== undefined && { splitCorrectsFrom: heldOut.correctsFrom }),
    ...(generates && { decoder: decoderSettings(body, datasets) }),
  };
}

/**
 * The type of a training. One that names none has the type that is better on its base model, unless a setting of LoRA or
 * a model that it goes on from says lora.
 * @param hasStretches whether rows are labelled for stretches of their text
 */
export function typeOf(
  body: TrainingJobOrder,
  { engine, baseModel, adapter }: Pick<ResolvedModel, 'engine' | 'baseModel' | 'adapter'>,
  hasStretches: boolean,
): TrainingType {
  const saysLora = adapter !== null || OF_LORA.some((field) => isPresent(body[field]));
  const facts = engine.baseModels.find(({ id }) => id === baseModel.id);
  return trainingTypeOf(body, saysLora || !hasStretches ? 'lora' : facts?.typeForStretches);
}

const OF_LORA = ['lora_r', 'lora_alpha', 'lora_dropout'] as const;
const DEFAULT_BETA = 0.1;

function decoderSettings(body: TrainingJobOrder, { isPreferences }: ClaimedDatasets): DecoderSettings {
  const {
    packing = body.packing ?? false,
    gradientCheckpointing = body.gradient_checkpointing ?? false,
    loadIn4bit = body.load_in_4bit ?? false,
    beta = body.dpo_beta ?? null,
  } = body.configuration?.decoder ?? {};
  return { packing, gradientCheckpointing, loadIn4bit, beta: isPreferences ? (beta ?? DEFAULT_BETA) : null };
}

const OF_DECODERS = ['packing', 'gradient_checkpointing', 'load_in_4bit', 'dpo_beta'] as const;

/** @throws InvalidError a setting that models of its kind do not have, by the name of its field */
export function requireOfKind(body: TrainingJobOrder, { generates, baseModel, engine }: ResolvedModel): void {
  if (isPresent(body.label_descriptions) && !engine.readsLabelDescriptions)
    throw new InvalidError({
      path: ['body', 'label_descriptions'],
      message: `is not read by ${baseModel.id}, only by the built-in encoders: leave it out`,
      type: 'not_allowed',
    });
  const { isExpanded } = engine.baseModels.find(({ id }) => id === baseModel.id) ?? {};
  if (generates && isExpanded && body.load_in_4bit)
    throw new InvalidError({
      path: ['body', 'load_in_4bit'],
      message: `is for base models of .safetensors files: the .gguf file of ${baseModel.id} is expanded when it is loaded, so leave it out`,
      type: 'not_allowed',
    });
  if (generates) return;
  // The default is as good as absent.
  const fields = OF_DECODERS.filter((field) => (body[field] ?? false) !== false);
  if (fields.length === 0) return;
  const message = `is for decoders, and ${baseModel.id} is an encoder: leave it out`;
  throw new InvalidError(fields.map((field) => ({ path: ['body', field], message, type: 'not_allowed' })));
}

/** @throws InvalidError naming the field of a setting that does not apply to the rows */
export function requireOfRows(
  body: TrainingJobOrder,
  { isPreferences, classRows }: Pick<ClaimedDatasets, 'isPreferences' | 'classRows'>,
): void {
  if (isPresent(body.label_descriptions) && classRows === 0)
    throw new InvalidError({
      path: ['body', 'label_descriptions'],
      message: 'is for classes, but no row of the datasets has one: leave it out',
      type: 'not_allowed',
    });
  if (!isPreferences && (body.dpo_beta ?? null) !== null)
    throw new InvalidError({
      path: ['body', 'dpo_beta'],
      message: 'is for pairs of answers, but the rows are chats: leave it out',
      type: 'not_allowed',
    });
  if (isPreferences && body.packing)
    throw new InvalidError({
      path: ['body', 'packing'],
      message: 'is for chats, but the rows are pairs of answers: leave it out',
      type: 'not_allowed',
    });
}

/** @throws InvalidError a description of a label that no row has, where it might be one of several tasks' */
export function requireKnownLabels(
  { label_descriptions: descriptions }: TrainingJobOrder,
  { classTasks, classLabels }: Pick<ClaimedDatasets, 'classTasks' | 'classLabels'>,
): void {
  if (classTasks.length === 0) return;
  const unknown = Object.keys(descriptions ?? {}).filter((label) => !classLabels.includes(label));
  if (unknown.length === 0) return;
  const message =
    'is no label of any row, and nothing says of which task it would be: leave it out, or add rows with it';
  throw new InvalidError(
    unknown.map((label) => ({ path: ['body', 'label_descriptions', label], message, type: 'not_allowed' })),
  );
}

/** @throws InvalidError a value that the model's engine does not take, by the name of its field */
export function requireInRange(
  body: Pick<TrainingJobOrder, 'learning_rate' | 'lora_alpha'>,
  { settingRanges = {} }: EngineFacts,
): void {
  const check = (field: 'learning_rate' | 'lora_alpha', range: readonly [number, number] | undefined) => {
    const value = body[field] ?? null;
    if (value === null || !range || (value >= range[0] && value <= range[1])) return;
    const message = `must be between ${range[0]} and ${range[1]} for this base model (got ${value})`;
    throw new InvalidError({ path: ['body', field], message, type: 'not_allowed' });
  };
  check('learning_rate', settingRanges.learningRate);
  check('lora_alpha', settingRanges.loraAlpha);
}

/** Interval between checkpoints within an epoch, thinned to the bound on checkpoints. @param saveSteps 0 for never */
const thinnedSaveSteps = (saveSteps: number, steps: number): number =>
  saveSteps === 0 ? 0 : Math.max(saveSteps, Math.ceil(steps / MAX_STEP_CHECKPOINTS));
