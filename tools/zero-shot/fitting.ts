import type { BaseTagger, ZeroShotWeights } from '#gpu-runner/engines/builtin/entities/index.js';
import { candidatesOf } from '#gpu-runner/engines/builtin/entities/zero-shot/candidates.js';
import { meanOfRows } from '#gpu-runner/engines/builtin/entities/zero-shot/directions.js';
import { LabelSpace } from '#gpu-runner/engines/builtin/entities/zero-shot/label-space.js';
import { sightingsOf, type Centres, type Sighting } from '#gpu-runner/engines/builtin/entities/zero-shot/sighting.js';
import { choose, mentionFeatures } from '#gpu-runner/engines/builtin/entities/zero-shot/weights.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { segmentTokens } from '#gpu-runner/engines/builtin/text/segments.js';
import type { TextEncoder } from '#gpu-runner/engines/builtin/text-encoder.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { fitChoices, type MadeChoice } from './choices.js';
import { labelsOfKinds, type Sentence } from './sentences.js';

/**
 * Requests name few labels or many, and most words are entities of none: each sentence is learned from under all labels of its kind,
 * and under some of them. Without that, requests of one to four labels find everything (precision .15 instead of .5); with two instead
 * of four, one unknown label alone is hardly ever found.
 */
const FEW_LABELS_A_SENTENCE = 4;
const MOST_OF_FEW = 5;
/** Chosen by leaving out one kind at a time. */
const DECISION_POINT = 0.25;
const CHOICE_PENALTY = 1;
/** For each time that a sentence is looked at. */
const MENTION_PENALTY = 1 / 42;
const SEED = 5;

/** A sentence's candidates, and the right label of each by its place among the claims; -1 where it is no entity. */
interface Looked {
  readonly sightings: readonly Sighting[];
  readonly right: readonly number[];
}

/** Sentences as the encoder and the base model see them, ready to be learned from. */
export interface Prepared {
  readonly centres: Centres;
  readonly bySentence: ReadonlyMap<Sentence, readonly Looked[]>;
}

export function prepare(sentences: readonly Sentence[], base: BaseTagger, encoder: TextEncoder): Prepared {
  const space = new LabelSpace(encoder, base.labels);
  const labels = labelsOfKinds(sentences);
  const centres = centresOf(sentences, encoder);
  const random = new Random(SEED);
  const looked = sentences.map((sentence) => {
    const own = labels.get(sentence.kind)!;
    const meanings = drain(space.read(own));
    const all: Looked[] = [...segmentTokens(sentence.text)].map((tokens) => {
      const sightings = sightingsOf(tokens, meanings, { base, encoder, space, centres });
      const right = sightings.map(({ first, end }) => {
        const [start, stop] = [tokens[first]!.start, tokens[end - 1]!.end];
        const gold = sentence.entities?.find((entity) => entity.start === start && entity.end === stop);
        return gold ? own.indexOf(gold.label) : -1;
      });
      return { sightings, right };
    });
    const few = Array.from({ length: FEW_LABELS_A_SENTENCE }, () => {
      const places = own.map((_, at) => at);
      random.shuffle(places);
      return places.slice(0, 1 + random.below(Math.min(MOST_OF_FEW, own.length)));
    });
    return [sentence, [...all, ...few.flatMap((places) => all.map((each) => among(each, places)))]] as const;
  });
  return { centres, bySentence: new Map(looked) };
}

/** The same under some of the labels. */
const among = ({ sightings, right }: Looked, places: readonly number[]): Looked => ({
  sightings: sightings.map((sighting) => ({ ...sighting, claims: places.map((place) => sighting.claims[place]!) })),
  right: right.map((label) => places.indexOf(label)),
});

/** The mean of the texts' vectors, and of those of their runs of words. */
function centresOf(sentences: readonly Sentence[], encoder: TextEncoder): Centres {
  const [stretches, texts]: [Float32Array[], Float32Array[]] = [[], []];
  for (const { text } of sentences)
    for (const tokens of segmentTokens(text)) {
      const meaning = encoder.meaning(tokens.map((token) => token.text));
      texts.push(meaning.text);
      for (const { first, end } of candidatesOf(tokens, []))
        stretches.push(meanOfRows(meaning.tokens, meaning.text.length, first, end));
    }
  return { stretch: mean(stretches), text: mean(texts) };
}

const mean = (vectors: readonly Float32Array[]): readonly number[] =>
  Array.from(vectors[0]!, (_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0) / vectors.length).map(short);

/** Learns first to choose among labels where a stretch is an entity, then, by these choices, whether it is one. */
export function fit({ centres, bySentence }: Prepared, sentences: readonly Sentence[]): ZeroShotWeights {
  const looked = sentences.flatMap((sentence) => bySentence.get(sentence)!);
  const seen = looked.flatMap(({ sightings, right }) =>
    sightings.map((sighting, at) => ({ sighting, right: right[at]! })),
  );
  const choices = seen
    .filter(({ sighting, right }) => right >= 0 && sighting.claims.length > 1)
    .map(({ sighting, right }): MadeChoice => ({
      alternatives: sighting.claims.map(({ features }) => features),
      right,
    }));
  const choice = fitChoices(choices, CHOICE_PENALTY);
  const mentions = seen.map(({ sighting, right }): MadeChoice => ({
    alternatives: [mentionFeatures(sighting, choose(sighting, choice)), []],
    right: right >= 0 ? 0 : 1,
  }));
  const mention = fitChoices(mentions, MENTION_PENALTY * looked.length);
  return { decisionPoint: DECISION_POINT, choice: choice.map(short), mention: mention.map(short), centres };
}

/** To five digits, as they are stored. */
const short = (value: number): number => Number(value.toPrecision(5));
