import { LEAST_CANDIDATE } from './confidence-figures.js';
import type { InferRequest, InferResponse, InferResult, InferSchema, LoadedModel } from './engine.js';
import type { Steps } from './steps.js';

/** Asks a model for its answers, and for what it nearly answered. */
export function* certainSteps(infer: LoadedModel['infer'], request: InferRequest): Steps<InferResponse> {
  const [answers, candidates] = asked(request);
  const response = yield* infer(answers);
  return withCertainties(request.schema, response, (yield* infer(candidates)).results);
}

/** The same, of a model in a process of its engine. */
export async function inferCertain(
  infer: (request: InferRequest) => Promise<InferResponse>,
  request: InferRequest,
): Promise<InferResponse> {
  const [answers, candidates] = asked(request);
  const response = await infer(answers);
  return withCertainties(request.schema, response, (await infer(candidates)).results);
}

const asked = (request: InferRequest): readonly [InferRequest, InferRequest] => [
  request,
  { texts: request.texts, schema: request.schema, threshold: LEAST_CANDIDATE },
];

const withCertainties = (
  schema: InferSchema,
  { results, ...response }: InferResponse,
  candidates: readonly InferResult[],
): InferResponse => ({
  ...response,
  results: results.map((answer, at) => ({ ...answer, certainty: certaintyOf(schema, answer, candidates[at]!) })),
});

/**
 * The probability that an answer is right as a whole, were its parts independent: the product of the confidences of what was answered,
 * and of 1 minus those of what nearly was. The least confidence of what was found would not see what was missed.
 * @param candidates the answer from the least confidence on that counts as a near miss
 */
export function certaintyOf(schema: InferSchema, answer: InferResult, candidates: InferResult): number {
  const answered = partsOf(answer);
  const chosen = new Set(schema.classifications?.flatMap(({ task, multiLabel }) => (multiLabel ? [] : [task])));
  let certainty = 1;
  for (const { confidence } of answered.values()) certainty *= confidence;
  for (const [key, { confidence, task }] of partsOf(candidates)) {
    // Of labels that exclude one another the confidence of one says all.
    const isMiss = !answered.has(key) && !(task !== undefined && chosen.has(task));
    if (isMiss) certainty *= 1 - confidence;
  }
  return certainty;
}

interface Part {
  readonly confidence: number;
  /** Of a class. */
  readonly task?: string;
}

/** All that an answer says, by what and where; what it says twice counts twice. */
function partsOf({
  entities = {},
  classifications = {},
  structures = {},
  relations = {},
}: InferResult): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const add = (part: Part, ...what: readonly unknown[]): void => {
    let times = 0;
    let key = JSON.stringify(what);
    while (parts.has(key)) key = JSON.stringify([...what, (times += 1)]);
    parts.set(key, part);
  };
  for (const [label, hits] of Object.entries(entities))
    for (const { start, end, confidence } of hits) add({ confidence }, 'entity', label, start, end);
  for (const [task, hits] of Object.entries(classifications))
    for (const { label, confidence } of hits) add({ confidence, task }, 'class', task, label);
  for (const [name, records] of Object.entries(structures))
    for (const record of records)
      for (const [field, values] of Object.entries(record))
        for (const { text, confidence, start, end } of values)
          add({ confidence }, 'value', name, field, ...(start === undefined ? [text] : [start, end]));
  for (const [name, pairs] of Object.entries(relations))
    for (const { head, tail } of pairs)
      add({ confidence: head.confidence }, 'relation', name, head.start, head.end, tail.start, tail.end);
  return parts;
}
