import type { Example } from '../../engine.js';
import { createClassificationTrainer } from '../classification/index.js';
import type { HeadState, HeadTrainer, HeadTrainerInput } from '../head.js';
import type { SentenceEncoder } from '../text-encoder.js';
import {
  choiceTexts,
  fieldOf,
  NO_CHOICE,
  placesOf,
  WINDOWS,
  type ChoiceFacts,
  type ChoiceShape,
  type Window,
} from './choice-texts.js';
import type { FieldName } from './names.js';

/** A field of which the choices are learned, with the trainer of their classifier. */
export interface ChoiceTrainer {
  readonly name: FieldName;
  readonly shape: ChoiceShape;
  readonly trainer: HeadTrainer;
}

/** Rows and epochs by which a window is chosen. */
const ROWS_FOR_WINDOW = 1000;
const EPOCHS_FOR_WINDOW = 3;

/** The fields of which some row has a choice. */
export function choiceFieldsOf(rows: readonly Example[]): FieldName[] {
  const names = new Map<string, FieldName>();
  for (const { structures = [] } of rows)
    for (const { name: structure, fields } of structures)
      for (const { name: field, values, choices = [] } of fields)
        if (choices.length > 0 || values.some(({ choice }) => choice !== undefined))
          names.set(JSON.stringify([structure, field]), { structure, field });
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
}

/**
 * A trainer of the classifier of a field's choices.
 * @param earlier shape and state by the continued model
 * @throws TrainingError when its choices cannot be learned
 */
export function createChoiceTrainer(
  input: HeadTrainerInput,
  name: FieldName,
  encoder: SentenceEncoder | null,
  earlier: { readonly shape: ChoiceShape; readonly state: HeadState } | null,
): ChoiceTrainer {
  const { train, validation, log } = input;
  const settings = { ...input.settings, multiLabel: false };
  delete settings.labelDescriptions;
  const facts = mergedFacts(factsOf(train, name), earlier?.shape ?? null);
  const learned = (window: Window) => withTwoClasses(choiceTexts(train, name, facts, window));
  const window = earlier?.shape.window ?? chooseWindow({ ...input, settings }, name, facts, learned);
  const texts = learned(window);
  const judged = validation === train ? [] : choiceTexts(validation, name, facts, window);
  log(`Choices of ${name.structure}.${name.field} are learned from ${texts.length} texts.`);
  const untold = untoldRecords(train, name);
  if (untold > 0)
    log(`${untold} records of ${name.structure} share a text and have no value in it: their choices are not learned.`);
  return {
    name,
    shape: { ...facts, window },
    trainer: createClassificationTrainer(
      {
        ...input,
        settings,
        train: texts,
        validation: judged.length === 0 ? texts : judged,
        startFrom: earlier?.state ?? null,
      },
      encoder,
    ),
  };
}

/** Records of which nothing tells which part of their text is theirs. */
const untoldRecords = (rows: readonly Example[], { structure }: FieldName): number =>
  rows.reduce((sum, { structures = [] }) => {
    const own = structures.filter(({ name }) => name === structure);
    return own.length === 1 ? sum : sum + own.filter((record) => placesOf(record).length === 0).length;
  }, 0);

function factsOf(rows: readonly Example[], name: FieldName): ChoiceFacts {
  const records = rows.flatMap(({ structures = [] }) => structures.filter((each) => each.name === name.structure));
  return {
    isSaid: records.every((record) => (fieldOf(record, name)?.choices ?? []).length === 0),
    isPlaceless: records.some((record) => placesOf(record).length === 0),
  };
}

const mergedFacts = (facts: ChoiceFacts, earlier: ChoiceFacts | null): ChoiceFacts =>
  earlier === null
    ? facts
    : { isSaid: facts.isSaid && earlier.isSaid, isPlaceless: facts.isPlaceless || earlier.isPlaceless };

/** A classifier needs two classes, also where all rows have one choice. */
const withTwoClasses = (texts: readonly Example[]): readonly Example[] =>
  new Set(texts.flatMap(({ labels = [] }) => labels)).size > 1 ? texts : [...texts, { text: '', labels: [NO_CHOICE] }];

/** The window whose texts tell the choices best, by cross-validation of a classifier of their terms. */
function chooseWindow(
  input: HeadTrainerInput,
  { structure }: FieldName,
  { isSaid }: ChoiceFacts,
  learned: (window: Window) => readonly Example[],
): Window {
  const hasSeveral = input.train.some(
    ({ structures = [] }) => structures.filter(({ name }) => name === structure).length > 1,
  );
  if (isSaid || !hasSeveral) return 'both';
  const losses = WINDOWS.map((window) => {
    const rows = learned(window).slice(0, ROWS_FOR_WINDOW);
    if (new Set(rows.flatMap(({ labels = [] }) => labels)).size < 2) return Infinity;
    const settings = { ...input.settings, epochs: EPOCHS_FOR_WINDOW };
    const trainer = createClassificationTrainer(
      { ...input, settings, train: rows, validation: rows, startFrom: null, log: () => undefined },
      null,
    );
    for (let step = 0; step < EPOCHS_FOR_WINDOW * trainer.stepsPerEpoch; step += 1) trainer.step();
    return trainer.validate().loss;
  });
  return WINDOWS[losses.indexOf(Math.min(...losses))]!;
}
