import { isRight } from '#domain/feedback/index.js';
import { isRecord, type Json } from '#domain/json.js';

/** Facts of an answer for filters and counts: scalars, as indexed fields are. */
interface AnswerFacts {
  /** Labels that the answer gives, each once, as `words` writes them; null for none. */
  readonly labels: string | null;
  /** The lowest confidence in the answer; null if it has none. */
  readonly confidence: number | null;
}

/** Limits on the stored facts of one answer: characters of its labels, and pairs of labels of its correction. */
const MAX_LABEL_CHARACTERS = 1_000;
const MAX_PAIRS = 50;

export function answerFacts(task: string | null, output: Json): AnswerFacts {
  if (!hasLabels(task)) return { labels: null, confidence: null };
  return { labels: words([...labelsIn(output)].sort()), confidence: lowestConfidence(output) };
}

/** The labels that an answer gives, each once. */
export const labelsIn = (output: Json): readonly string[] => [
  ...new Set(givenLabels(output).map(({ label }) => label)),
];

/** Whether answers of a task have labels; null is a task that is not known yet. */
export const hasLabels = (task: string | null): boolean => task !== 'generate' && task !== 'embed';

/**
 * Pairs of an answered label and its correction: `answered\tcorrected` for each text that was found (or
 * classification), as `words` writes them. One side is empty if only the other has the text.
 */
export function confusions(verdict: string | null, output: Json, corrected: Json): string | null {
  if (isRight(verdict) === null) return null;
  const answered = byPlace(output);
  const right = isRight(verdict) ? answered : byPlace(corrected);
  const heads = new Set([...right.values()].map(({ head }) => head));
  const pairs = [...new Set([...answered.keys(), ...right.keys()])].flatMap((place) => {
    // A head that a correction leaves out is not corrected.
    const was = answered.get(place);
    if (was && !heads.has(was.head)) return [];
    return [`${escaped(was?.label ?? '')}\t${escaped(right.get(place)?.label ?? '')}`];
  });
  return joined(pairs.slice(0, MAX_PAIRS), Infinity);
}

/**
 * Several words as one string: a newline before and after each, so that `labelIn` finds one. What does not fit is left out.
 * @returns null for none
 */
const words = (all: readonly string[]): string | null => joined(all.map(escaped), MAX_LABEL_CHARACTERS);

function joined(all: readonly string[], maxCharacters: number): string | null {
  let text = '\n';
  for (const word of all) if (text.length + word.length < maxCharacters) text += `${word}\n`;
  return text === '\n' ? null : text;
}

/** The part of a field of labels for this one; null for one that is longer than the field can be. */
export function labelIn(label: string): string | null {
  const part = `\n${escaped(label)}\n`;
  return part.length > MAX_LABEL_CHARACTERS ? null : part;
}

/** The form of a label in a field of words: without newlines and tabs. */
const escaped = (label: string): string => JSON.stringify(label).slice(1, -1);

/** The label of an escaped one. */
export const labelOf = (word: string): string => JSON.parse(`"${word}"`) as string;

interface GivenLabel {
  readonly head: string;
  readonly label: string;
  /** Place of the label: a text that was found, or the whole. */
  readonly place: string;
}

const byPlace = (output: Json): ReadonlyMap<string, GivenLabel> =>
  new Map(givenLabels(output).map((given) => [`${given.head}\n${given.place}`, given]));

/** The labels of an answer in any of its shapes; of structures and relations, their names. */
function givenLabels(output: Json): readonly GivenLabel[] {
  if (Array.isArray(output))
    return (output as readonly Json[]).flatMap((each, at) =>
      givenLabels(each).map((given) => ({ ...given, place: `${at}\n${given.place}` })),
    );
  if (!isRecord(output)) return [];
  return Object.entries(output).flatMap(([head, value]) => labelsOf(head, value ?? null));
}

function labelsOf(head: string, value: Json): readonly GivenLabel[] {
  if (head === 'entities' || head === 'relation_extraction') return ofNames(head, value);
  const classes = classesIn(value);
  if (classes.length > 0)
    return classes.map((label) => ({ head, label, place: classes.length > 1 ? JSON.stringify(label) : '' }));
  return Array.isArray(value) && value.length > 0 ? [{ head, label: head, place: '' }] : [];
}

/** `{label: hits}`; the unformatted results of GLiNER2 are lists of one. */
function ofNames(head: string, value: Json): readonly GivenLabel[] {
  const named = Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value;
  if (!isRecord(named)) return [];
  return Object.entries(named).flatMap(([label, hits]) => {
    const all = Array.isArray(hits) ? (hits as readonly Json[]) : hits == null ? [] : [hits];
    return all.map((hit) => ({ head, label, place: placeOf(hit) }));
  });
}

/** The text of a hit: answers and corrections may leave out its span. */
const placeOf = (hit: Json): string => JSON.stringify(isRecord(hit) ? (hit['text'] ?? hit) : hit);

/** `label`, `{label, confidence}`, `[label, confidence]`, or a list of these. */
function classesIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isRecord(value)) return typeof value['label'] === 'string' ? [value['label']] : [];
  if (!Array.isArray(value)) return [];
  const all = value as readonly Json[];
  if (all.length === 2 && typeof all[0] === 'string' && typeof all[1] === 'number') return [all[0]];
  return all.flatMap((each) => classesIn(each));
}

/** The lowest confidence in an answer; null if it has none. */
export function lowestConfidence(value: Json): number | null {
  if (typeof value !== 'object' || value === null) return null;
  let lowest: number | null = null;
  for (const [name, each] of Object.entries(value)) {
    const found = name === 'confidence' && typeof each === 'number' ? each : lowestConfidence(each as Json);
    if (found !== null && (lowest === null || found < lowest)) lowest = found;
  }
  return lowest;
}
