import type { CrossValidation } from '#domain/evaluation/index.js';
import type { InvalidError } from '#domain/errors.js';
import type { TrainingRequest } from '#domain/training-job/index.js';
import { isPresent } from '#primitives/values.js';
import type { EvaluationOrder } from '../order.js';

/** Fields that say on what, or by whom, something else is measured. */
const OTHERS = ['base_model', 'model_id', 'dataset_name', 'version_number', 'held_out_of', 'max_examples'] as const;

/** More folds learn from more rows, which counts while there are few. */
const FEW_ROWS = 1_000;

/** Folds into which rows are divided if nobody says. */
export const foldsFor = (rows: number): number => (rows <= FEW_ROWS ? 10 : 5);

/**
 * @param job that is to be cross-validated
 * @throws InvalidError fields that contradict it, or a job whose rows some model may have learned before
 */
export function crossValidationOf(
  order: EvaluationOrder,
  { taskType, startFrom, excludedTexts, datasets, configuration }: TrainingRequest,
  refused: (field: string, message: string) => InvalidError,
): CrossValidation {
  for (const field of OTHERS)
    if (isPresent(order[field]))
      throw refused(field, 'does not go with cross_validation_of, whose job names model and rows');
  const refuse = (why: string) => refused('cross_validation_of', why);
  if (taskType === 'decoder') throw refuse('must be a job that trained an encoder; evaluate decoders with held_out_of');
  if (startFrom) throw refuse('names a job that went on from another one, which may have learned its rows');
  if (excludedTexts) throw refuse('names a job with exclude_texts_of, which did not train on all of its rows');
  const rows = datasets.reduce((sum, dataset) => sum + dataset.rows, 0);
  return { folds: order.folds ?? foldsFor(rows), configuration };
}
