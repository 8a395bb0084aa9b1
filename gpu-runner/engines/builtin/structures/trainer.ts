import { TrainingError } from '../../engine.js';
import type { Steps } from '../../steps.js';
import {
  createEntityTrainer,
  joinStates,
  partOfState,
  type BaseTagger,
  type LabelResolver,
} from '../entities/index.js';
import type { HeadTrainer, HeadTrainerInput } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { fieldsOf, shapesIn, shapesOf, storedShapes, taggedRows } from './fields.js';

/**
 * Trainer of a structure head: a tagger of field values, and the layout of their records.
 * @param resolve which base types stand for a field's name
 * @throws TrainingError when no row holds a structure
 */
export function* createStructureTrainer(
  input: HeadTrainerInput,
  base: BaseTagger,
  resolve: LabelResolver,
  encoder: TextEncoder | null,
): Steps<HeadTrainer> {
  const { train, validation, startFrom } = input;
  const shapes = shapesOf([...train, ...validation], train, startFrom === null ? [] : shapesIn(startFrom.config));
  const rows = taggedRows(train);
  if (rows.every(({ entities }) => entities!.length === 0))
    throw new TrainingError('No training row holds a structure: there is nothing to learn.');
  const tagger = yield* createEntityTrainer(
    {
      ...input,
      train: rows,
      // The same rows stay the same: the tagger knows them as those that it learned from.
      validation: validation === train ? rows : taggedRows(validation),
      startFrom: startFrom && partOfState(startFrom, TAGGER),
    },
    base,
    (label) => [...new Set(fieldsOf(label).flatMap(({ field }) => resolve(field)))],
    encoder,
  );
  return {
    stepsPerEpoch: tagger.stepsPerEpoch,
    rowsWithVectors: tagger.rowsWithVectors,
    step: () => tagger.step(),
    validate: () => tagger.validate(),
    exportModel() {
      const { config, tensors } = joinStates({ [TAGGER]: tagger.exportModel() });
      return { config: { ...config, structures: storedShapes(shapes) }, tensors };
    },
    saveState: () => tagger.saveState(),
    restoreState: (state) => tagger.restoreState(state),
  };
}

/** Name of the tagger's part of a head's state. */
export const TAGGER = 'tagger';
