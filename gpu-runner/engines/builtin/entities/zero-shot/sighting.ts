import type { Token } from '#primitives/text/tokens.js';
import { dot } from '#primitives/vectors.js';
import type { TextEncoder } from '../../text-encoder.js';
import type { BaseTagger } from '../base-tagger.js';
import { likelySegments } from '../lattice/segments.js';
import { candidatesOf, isCapitalised, isFunctionWord, isWord, type Candidate } from './candidates.js';
import { aboveUsual, directionFrom, meanOfRows, usualCosines } from './directions.js';
import type { LabelMeaning, LabelSpace } from './label-space.js';

/** Mean vectors of stretches and of texts, from which their directions are taken. [sentenceDimensions] each */
export interface Centres {
  readonly stretch: ArrayLike<number>;
  readonly text: ArrayLike<number>;
}

/** A candidate in its segment, and each label's claim on it. */
export interface Sighting extends Candidate {
  /** Numbers that tell whether it is an entity at all: see `shapeOf`. */
  readonly shape: readonly number[];
  readonly claims: readonly Claim[];
  /** Whether a word of it is capitalised. */
  readonly hasCapital: boolean;
  /** Probability that it is an entity of any type, by the base model. */
  readonly any: number;
}

/** How a label fits a stretch. */
export interface Claim {
  readonly label: LabelMeaning;
  /** Probability of its types, by the base model. */
  readonly probability: number;
  /** How much nearer the label is than usual ones, in standard deviations: its words to the stretch, its name to the stretch, its name to the text. */
  readonly nearness: readonly [words: number, name: number, text: number];
  /** Weighed to choose among labels. */
  readonly features: readonly number[];
}

/** Segments of the base model that are less probable are not looked at. */
const FLOOR = 0.01;
/** They are candidates from here. */
const LEAST_CANDIDATE = 0.02;

/** Looks at one segment: which stretches may be entities, and how each label fits each of them. */
export function sightingsOf(
  tokens: readonly Token[],
  labels: readonly LabelMeaning[],
  { base, encoder, space, centres }: { base: BaseTagger; encoder: TextEncoder; space: LabelSpace; centres: Centres },
): readonly Sighting[] {
  const stretches = stretchesOf(base, tokens);
  const likely = [...stretches.values()].filter(({ any }) => any >= LEAST_CANDIDATE);
  const { text, tokens: rows } = encoder.meaning(tokens.map((token) => token.text));
  const [names, words] = [space.background.map((name) => name.text), space.background.map((name) => name.words)];
  const topic = directionFrom(text, centres.text);
  const usualTopic = usualCosines(topic, names);
  return candidatesOf(tokens, likely).map((candidate) => {
    const { first, end } = candidate;
    const believed = stretches.get(`${first} ${end}`);
    const any = believed?.any ?? 0;
    const own = directionFrom(meanOfRows(rows, text.length, first, end), centres.stretch);
    const [usualWords, usualNames] = [usualCosines(own, words), usualCosines(own, names)];
    const isLower = isCapitalised(tokens[first]!.text) ? 0 : 1;
    const claims = labels.map((label): Claim => {
      const probability = probabilityOf(believed, label);
      const nearness = [
        aboveUsual(dot(own, label.words), usualWords),
        aboveUsual(dot(own, label.text), usualNames),
        aboveUsual(dot(topic, label.text), usualTopic),
      ] as const;
      return { label, probability, nearness, features: claimFeatures(label, probability, any, nearness, isLower) };
    });
    const overlap = Math.max(
      0,
      ...[...stretches.values()].filter((other) => overlaps(other, candidate)).map((other) => other.any),
    );
    const inside = tokens.slice(first, end).map((token) => token.text);
    const shape = shapeOf(tokens, candidate, inside, any, overlap);
    return { ...candidate, shape, claims, hasCapital: inside.some(isCapitalised), any };
  });
}

/** The base model's probabilities for a stretch: of each type, and of all together. */
interface Believed {
  readonly first: number;
  readonly end: number;
  readonly types: Map<string, number>;
  any: number;
}

function stretchesOf(base: BaseTagger, tokens: readonly Token[]): ReadonlyMap<string, Believed> {
  const stretches = new Map<string, Believed>();
  for (const { first, end, label, probability } of likelySegments(base.run(tokens), tokens.length, FLOOR)) {
    const key = `${first} ${end}`;
    const stretch = stretches.get(key) ?? { first, end, types: new Map<string, number>(), any: 0 };
    stretch.types.set(base.labels[label]!, probability);
    stretch.any += probability;
    stretches.set(key, stretch);
  }
  return stretches;
}

const probabilityOf = (believed: Believed | undefined, { types }: LabelMeaning): number =>
  [...(believed?.types ?? [])].reduce((sum, [type, probability]) => sum + (types.has(type) ? probability : 0), 0);

const overlaps = (a: { first: number; end: number }, b: { first: number; end: number }): boolean =>
  a.first < b.end && b.first < a.end && (a.first !== b.first || a.end !== b.end);

/** The share of a label's types in what the base believes counts apart for narrower labels, and nothing for unknown ones. */
function claimFeatures(
  { scope }: LabelMeaning,
  probability: number,
  any: number,
  [words, name, text]: Claim['nearness'],
  isLower: number,
): readonly number[] {
  const share = Math.log((probability + 0.02) / (any + 0.04));
  const isUnknown = Number(scope === 'unknown');
  const isNarrower = Number(scope === 'narrower');
  return [
    ...(scope === 'type' ? [share, 0] : [0, isNarrower * share]),
    ...[probability, isUnknown, isNarrower, isUnknown * Math.log(any + 0.02)],
    ...[words, name, text, isUnknown * isLower, words * isLower],
  ];
}

function shapeOf(
  tokens: readonly Token[],
  { first, end, isCapitalRun, isWordRun }: Candidate,
  inside: readonly string[],
  any: number,
  overlap: number,
): readonly number[] {
  const before = tokens[first - 1]?.text;
  const after = tokens[end]?.text;
  const capitals = inside.map(isCapitalised);
  const length = end - first;
  return [
    ...[Math.log(any + 0.01), any, Math.log(overlap + 0.02), overlap],
    ...[
      ...[isCapitalRun, isWordRun, capitals.every(Boolean), capitals.some(Boolean)],
      ...[first === 0, first === 0 && length === 1 && capitals[0]!, length === 1, length === 2, length >= 4],
      inside.some((word) => /\p{Nd}/u.test(word)),
      ...[before?.toLowerCase() === 'the', ['a', 'an'].includes(before?.toLowerCase() ?? '')],
      ...[isFunctionWord(before ?? ''), isFunctionWord(after ?? ''), !isWord(before ?? ''), !isWord(after ?? '')],
      ...[isCapitalised(before ?? ''), isCapitalised(after ?? '')],
    ].map(Number),
  ];
}
