import { ArtifactError } from '../engine.js';
import { int64, type Feed } from '../packs/session.js';
import { COUNTS, relativeIndices } from './graph/index.js';
import type { Gliner2Model } from './open.js';
import type { Prompt, PromptPart } from './prompt.js';
import { spansOf, SpanScores } from './spans.js';
import type { ReadText } from './text.js';

/** What a model makes of a text and the parts of one pass. */
export interface PassResult {
  /** Of a classification: a score for each of its labels. */
  choiceScores(part: PromptPart): readonly number[];
  /** Of any other part: how many records of it there are. */
  records(part: PromptPart): number;
  /** The number of a field of a record among all that is looked for. */
  query(part: PromptPart, record: number, field: number): number;
  /** null when nothing is looked for. */
  readonly scores: SpanScores | null;
}

/** Added to the attention between fields of two parts, which do not see one another. */
const APART = -1e9;

/** Reads a text once. @throws ArtifactError */
export function runPass(model: Gliner2Model, { ids: before, parts, prefixIds }: Prompt, text: ReadText): PassResult {
  const ids = [...before];
  // Words without any token, such as signs that choose the look of an emoji, are read as what follows them.
  const wordsAt = [...prefixIds, ...text.words.map((word) => word.ids)].map((own) => {
    const at = ids.length;
    ids.push(...own);
    return at;
  });
  const classified = parts.filter(({ task }) => task.kind === 'classification');
  const others = parts.filter(({ task }) => task.kind !== 'classification');
  const relative = model.config.encoder.relative;
  const tokens = ids.length;
  const distances = relative ? relativeIndices(tokens, relative) : new BigInt64Array(tokens * tokens);
  const read = model.read({
    ids: list(ids),
    distances: { type: 'int64', data: distances, dims: [1, tokens, tokens] },
    words: list(wordsAt.map((at) => Math.min(at, tokens - 1))),
    prompts: list(others.map(({ at }) => at)),
    fields: list(others.flatMap(({ childrenAt }) => childrenAt)),
    choices: list(classified.flatMap(({ childrenAt }) => childrenAt)),
  });
  const counts = new Map(others.map((part, at) => [part, countOf(part, read.counts.data, at)]));
  const choicesFrom = offsetsOf(classified);
  const fieldsFrom = offsetsOf(others);
  const fields = others.flatMap(({ childrenAt }) => childrenAt).length;
  const queries = others.flatMap((part) =>
    Array.from({ length: counts.get(part)! }, (_, record) =>
      part.childrenAt.map((__, field) => record * fields + fieldsFrom.get(part)! + field),
    ).flat(),
  );
  const numbers = new Map(queries.map((query, at) => [query, at]));
  const spans = spansOf(prefixIds.length, text.words.length, model.config.maxWidth);
  const firsts = [...prefixIds.keys(), ...spans.places.map(({ first }) => prefixIds.length + first)];
  const lasts = [...prefixIds.keys(), ...spans.places.map(({ last }) => prefixIds.length + last)];
  const score = () =>
    model.score({
      words: { type: 'float32', ...read.word_vectors },
      fields: { type: 'float32', ...read.field_vectors },
      mask: { type: 'float32', data: maskOf(others), dims: [fields, fields] },
      steps: list([Math.max(...counts.values())]),
      queries: list(queries),
      firsts: list(firsts),
      lasts: list(lasts),
    });
  return {
    choiceScores: (part) => {
      const from = choicesFrom.get(part)!;
      return [...read.choice_scores.data.subarray(from, from + part.childrenAt.length)];
    },
    records: (part) => counts.get(part)!,
    query: (part, record, field) => numbers.get(record * fields + fieldsFrom.get(part)! + field)!,
    scores: queries.length === 0 ? null : new SpanScores(score(), spans),
  };
}

const list = (values: readonly number[]): Feed => ({ type: 'int64', data: int64(values), dims: [values.length] });

/** The likeliest number of records; entities are one record, if there are any. */
function countOf({ task }: PromptPart, scores: Float32Array, prompt: number): number {
  const own = scores.subarray(prompt * COUNTS, (prompt + 1) * COUNTS);
  if (own.some(Number.isNaN)) throw new ArtifactError('the model gives scores that are not numbers');
  const count = own.indexOf(Math.max(...own));
  return task.kind === 'entities' ? Math.min(1, count) : count;
}

/** The first child of each part among those of all. */
function offsetsOf(parts: readonly PromptPart[]): ReadonlyMap<PromptPart, number> {
  let sum = 0;
  return new Map(
    parts.map((part) => {
      sum += part.childrenAt.length;
      return [part, sum - part.childrenAt.length];
    }),
  );
}

function maskOf(parts: readonly PromptPart[]): Float32Array {
  const owners = parts.flatMap((part) => part.childrenAt.map(() => part));
  return Float32Array.from(owners.flatMap((one) => owners.map((other) => (one === other ? 0 : APART))));
}
