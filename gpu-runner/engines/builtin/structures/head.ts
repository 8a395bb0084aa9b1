import { ArtifactError, type EntityHit } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { loadClassificationHead, type ClassificationHead } from '../classification/index.js';
import { loadEntityHead, partOfState, tagInSteps, type BaseTagger } from '../entities/index.js';
import type { HeadState } from '../head.js';
import { segmentTokens } from '../text/segments.js';
import type { SentenceEncoder, TextEncoder } from '../text-encoder.js';
import { extentOf, NO_CHOICE, saidText, windowText, type ChoiceShape } from './choice-texts.js';
import { shapesIn, type Shape } from './fields.js';
import { groupRecords } from './grouping.js';
import { fieldsOf } from './names.js';
import { choicePart, TAGGER } from './trainer.js';

/** A value found for a field. */
export interface FoundValue {
  readonly structure: string;
  readonly field: string;
  readonly start: number;
  readonly hit: EntityHit;
}

/** A value of a record: a stretch, the choice that it says or that its surroundings mean, or both. */
export interface RecordValue {
  readonly field: string;
  readonly hit: EntityHit | null;
  /** By the field's classifier; null if it has none. */
  readonly choice: Choice | null;
}

interface Choice {
  readonly text: string;
  readonly confidence: number;
}

interface FoundValues {
  /** In text order. */
  readonly values: readonly FoundValue[];
  readonly inputTokens: number;
  readonly truncated: boolean;
}

/** A trained finder of the values that fields of structures have. */
export interface StructureHead {
  readonly shapes: readonly Shape[];
  /** Confidence from which a value counts if no threshold is given. */
  readonly decisionPoint: number;
  /** Bytes of its tensors. */
  readonly byteSize: number;
  /** @param threshold 0 to 1: a value's confidence is at least this */
  find(text: string, threshold: number): Steps<FoundValues>;
  /**
   * Groups the values of one structure into records, with the choices of its fields.
   * @param fields whose choices are looked for
   */
  records(
    text: string,
    values: readonly FoundValue[],
    shape: Shape,
    fields: (field: string) => boolean,
  ): Steps<readonly (readonly RecordValue[])[]>;
}

/** @throws ArtifactError when the state is of another feature version or lacks a part */
export function loadStructureHead(
  state: HeadState,
  base: BaseTagger,
  encoder: TextEncoder | null,
  sentences: SentenceEncoder | null,
): StructureHead {
  const shapes = shapesIn(state.config);
  const choices = choiceHeads(state, shapes, sentences);
  const tagging = partOfState(state, TAGGER);
  if (tagging === null && choices.size === 0)
    throw new ArtifactError('The structure head of the artifact has no tagger.');
  const tagged = tagging === null ? null : loadEntityHead(tagging, base, encoder);
  const named = new Map(tagged?.tagger.labels.map((label) => [label, fieldsOf(label)]));
  const choiceBytes = [...choices.values()].reduce((sum, { head }) => sum + head.byteSize, 0);
  return {
    shapes,
    decisionPoint: tagged?.tagger.decisionPoint ?? CHOSEN,
    byteSize: (tagged?.byteSize ?? 0) + choiceBytes,
    *find(text, threshold) {
      if (tagged === null) return yield* onlyRead(text);
      const { hits, inputTokens, truncated } = yield* tagInSteps(text, [{ tagger: tagged.tagger, threshold }]);
      const values = hits[0]!.flatMap((hit) =>
        named.get(hit.label)!.map((field): FoundValue => ({ ...field, start: hit.start, hit })),
      );
      return { values, inputTokens, truncated };
    },
    *records(text, values, shape, fields) {
      const asked = shape.fields.flatMap(({ name }) => {
        const learned = fields(name) ? choices.get(choicePart({ structure: shape.name, field: name })) : undefined;
        return learned ? [{ name, ...learned }] : [];
      });
      const records = groupRecords(text, values, shape);
      const extents = records.map((record) => extentOf(record.map(({ start, hit: { end } }) => ({ start, end }))));
      const found: RecordValue[][] = [];
      for (const [index, record] of records.entries()) {
        const said: RecordValue[] = [];
        for (const { field, hit } of record) {
          const learned = asked.find(({ name }) => name === field);
          if (learned) yield;
          const choice = learned ? likeliest(learned.head, saidText(text, hit), learned.choices) : null;
          said.push({ field, hit, choice: choice && { ...choice, confidence: choice.confidence * hit.confidence } });
        }
        for (const { name, head, labels, shape: choice } of asked) {
          if (choice.isSaid || said.some(({ field }) => field === name)) continue;
          yield;
          const meant = likeliest(head, windowText(text, extents, index, choice.window), labels);
          if (isChoice(meant.text)) said.push({ field: name, hit: null, choice: meant });
        }
        found.push(said);
      }
      // A structure may have no value in the text at all: then the whole text is its record.
      const placeless = records.length > 0 ? [] : asked.filter(({ shape: choice }) => choice.isPlaceless);
      const meant: RecordValue[] = [];
      for (const { name, head, labels } of placeless) {
        yield;
        const choice = likeliest(head, text, labels);
        if (isChoice(choice.text)) meant.push({ field: name, hit: null, choice });
      }
      return meant.length > 0 ? [meant] : found;
    },
  };
}

/** Confidence from which a choice counts by default where there is no tagger. */
const CHOSEN = 0.5;

interface ChoiceHead {
  readonly shape: ChoiceShape;
  readonly head: ClassificationHead;
  /** Its labels by index: all, and without the one for no choice. */
  readonly labels: readonly number[];
  readonly choices: readonly number[];
}

function choiceHeads(
  state: HeadState,
  shapes: readonly Shape[],
  sentences: SentenceEncoder | null,
): ReadonlyMap<string, ChoiceHead> {
  return new Map(
    shapes.flatMap(({ name: structure, fields }) =>
      fields.flatMap(({ name: field, choice }): [string, ChoiceHead][] => {
        if (choice === undefined) return [];
        const name = choicePart({ structure, field });
        const part = partOfState(state, name);
        if (part === null) throw new ArtifactError(`The structure head of the artifact lacks ${name}.`);
        const head = loadClassificationHead(part, sentences);
        const labels = [...head.labels.keys()];
        const choices = labels.filter((index) => isChoice(head.labels[index]!));
        return [[name, { shape: choice, head, labels, choices }]];
      }),
    ),
  );
}

/** @param among labels by index */
function likeliest(head: ClassificationHead, text: string, among: readonly number[]): Choice {
  const probabilities = head.probabilities(text, among);
  const best = probabilities.indexOf(Math.max(...probabilities));
  return { text: head.labels[among[best]!]!, confidence: probabilities[best]! };
}

const isChoice = (label: string): boolean => label !== NO_CHOICE;

function* onlyRead(text: string): Steps<FoundValues> {
  let inputTokens = 0;
  for (const tokens of segmentTokens(text)) {
    inputTokens += tokens.length;
    yield;
  }
  return { values: [], inputTokens, truncated: false };
}
