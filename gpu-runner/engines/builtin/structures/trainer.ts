import { TrainingError } from '../../engine.js';
import type { Steps } from '../../steps.js';
import {
  createEntityTrainer,
  joinStates,
  partOfState,
  type BaseTagger,
  type LabelResolver,
} from '../entities/index.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../head.js';
import type { SentenceEncoder, TextEncoder } from '../text-encoder.js';
import { choiceFieldsOf, createChoiceTrainer, type ChoiceTrainer } from './choice-trainer.js';
import { shapesIn, shapesOf, storedShapes, taggedRows, type Shape } from './fields.js';
import { fieldsOf, type FieldName } from './names.js';

/**
 * Trainer of a structure head: a tagger of field values, the layout of their records, and a classifier of the choices
 * of each field that has such.
 * @param resolve which base types stand for a field's name
 * @throws TrainingError when no row holds a structure
 */
export function* createStructureTrainer(
  input: HeadTrainerInput,
  base: BaseTagger,
  resolve: LabelResolver,
  encoder: TextEncoder | null,
  sentences: SentenceEncoder | null,
): Steps<HeadTrainer> {
  const { train, validation, startFrom } = input;
  const earlier = startFrom === null ? [] : shapesIn(startFrom.config);
  const shapes = shapesOf([...train, ...validation], train, earlier);
  const rows = taggedRows(train);
  const isTagged = rows.some(({ entities }) => entities!.length > 0);
  const choiceFields = choiceFieldsOf(train);
  if (!isTagged && choiceFields.length === 0)
    throw new TrainingError('No training row holds a structure: there is nothing to learn.');
  const tagger = isTagged
    ? yield* createEntityTrainer(
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
      )
    : null;
  const choices: ChoiceTrainer[] = [];
  for (const name of choiceFields) {
    yield;
    choices.push(createChoiceTrainer(input, name, sentences, earlierChoice(name, earlier, startFrom)));
  }
  const kept = startFrom === null ? {} : keptParts(startFrom, earlier, tagger === null, choiceFields);
  return new StructureTrainer(shapes, tagger, choices, kept);
}

/** Name of the tagger's part of a head's state; absent if no field has values in the text. */
export const TAGGER = 'tagger';
/** Name of the part that a field's classifier of choices has. */
export const choicePart = ({ structure, field }: FieldName): string => `choice ${JSON.stringify([structure, field])}`;

function earlierChoice(name: FieldName, earlier: readonly Shape[], startFrom: HeadState | null) {
  const shape = earlier
    .find(({ name: own }) => own === name.structure)
    ?.fields.find((each) => each.name === name.field);
  const state = startFrom && partOfState(startFrom, choicePart(name));
  return shape?.choice && state ? { shape: shape.choice, state } : null;
}

/** Parts of the continued head of which the rows have nothing: they stay as they are. */
function keptParts(
  startFrom: HeadState,
  earlier: readonly Shape[],
  withTagger: boolean,
  learned: readonly FieldName[],
): Readonly<Record<string, HeadState>> {
  const known = new Set(learned.map(choicePart));
  const parts = earlier.flatMap(({ name: structure, fields }) =>
    fields.flatMap(({ name: field, choice }) => (choice ? [choicePart({ structure, field })] : [])),
  );
  return Object.fromEntries(
    [...(withTagger ? [TAGGER] : []), ...parts.filter((part) => !known.has(part))].flatMap((part) => {
      const state = partOfState(startFrom, part);
      return state === null ? [] : [[part, state]];
    }),
  );
}

class StructureTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  readonly rowsWithVectors: number | null;
  private stepsDone = 0;

  constructor(
    private readonly shapes: readonly Shape[],
    private readonly tagger: HeadTrainer | null,
    private readonly choices: readonly ChoiceTrainer[],
    private readonly kept: Readonly<Record<string, HeadState>>,
  ) {
    this.stepsPerEpoch = tagger?.stepsPerEpoch ?? Math.max(...choices.map(({ trainer }) => trainer.stepsPerEpoch));
    this.rowsWithVectors = tagger?.rowsWithVectors ?? null;
  }

  step(): number {
    const at = this.stepsDone % this.stepsPerEpoch;
    this.stepsDone += 1;
    const losses = this.choices.flatMap(({ trainer }) => {
      // Each sees its texts once an epoch, in its own number of steps.
      const stepAt = (step: number) => Math.floor((step * trainer.stepsPerEpoch) / this.stepsPerEpoch);
      return Array.from({ length: stepAt(at + 1) - stepAt(at) }, () => trainer.step());
    });
    return this.tagger === null ? meanOf(losses) : this.tagger.step();
  }

  validate(): HeadValidation {
    const all = this.trainers().map((trainer) => trainer.validate());
    return {
      loss: all.reduce((sum, { loss }) => sum + loss, 0),
      f1: meanOf(all.map(({ f1 }) => f1)),
      isHeldOut: all.every(({ isHeldOut }) => isHeldOut),
    };
  }

  exportModel(): HeadState {
    const { config, tensors } = joinStates({ ...this.kept, ...this.partsBy((trainer) => trainer.exportModel()) });
    const shapes = this.shapes.map((shape) => ({
      ...shape,
      fields: shape.fields.map((field) => {
        const learned = this.choices.find(({ name }) => name.structure === shape.name && name.field === field.name);
        return learned ? { ...field, choice: learned.shape } : field;
      }),
    }));
    return { config: { ...config, structures: storedShapes(shapes) }, tensors };
  }

  saveState(): HeadState {
    const { config, tensors } = joinStates(this.partsBy((trainer) => trainer.saveState()));
    return { config: { ...config, stepsDone: this.stepsDone }, tensors };
  }

  restoreState(state: HeadState): void {
    this.stepsDone = state.config['stepsDone'] as number;
    this.tagger?.restoreState(partOfState(state, TAGGER)!);
    for (const { name, trainer } of this.choices) trainer.restoreState(partOfState(state, choicePart(name))!);
  }

  private trainers(): readonly HeadTrainer[] {
    return [...(this.tagger ? [this.tagger] : []), ...this.choices.map(({ trainer }) => trainer)];
  }

  private partsBy(stateOf: (trainer: HeadTrainer) => HeadState): Readonly<Record<string, HeadState>> {
    return {
      ...(this.tagger && { [TAGGER]: stateOf(this.tagger) }),
      ...Object.fromEntries(this.choices.map(({ name, trainer }) => [choicePart(name), stateOf(trainer)])),
    };
  }
}

const meanOf = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
