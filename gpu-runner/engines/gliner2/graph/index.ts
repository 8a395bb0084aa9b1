import type { Gliner2Config } from '#models/imported/index.js';
import { drawEncoder, relativeIndices } from './deberta.js';
import { Drawing } from './drawing.js';
import { drawClassifier, drawCounts, drawQueries, drawSpanScores } from './heads.js';
import { Layers } from './layers.js';
import type { Weights } from './weights.js';

export { relativeIndices };
export { COUNTS } from './heads.js';
export { Weights } from './weights.js';

const WORDS = 'encoder.embeddings.word_embeddings.weight';

/** Rows of the model's table of words. @throws ArtifactError */
export const vocabularyOf = (weights: Weights): number => weights.sizeOf(WORDS, 2);

/**
 * The graph that reads a text with its schema. Inputs, all int64: `ids` [tokens], `distances` [1, tokens, tokens], and the tokens that
 * stand for `words`, `prompts` (of structures), `fields` and `choices` (of classifications).
 * Outputs: `words` and `fields` [each, hidden size], `counts` [prompts, COUNTS], `choices` [choices, 1].
 * @throws ArtifactError when the weights are not those of the configuration
 */
export function readingGraph(weights: Weights, { encoder }: Gliner2Config): Uint8Array {
  const drawing = new Drawing(weights);
  const layers = new Layers(drawing);
  const list = (name: string) => drawing.input(name, 'int64', [name]);
  const ids = drawing.input('ids', 'int64', ['tokens']);
  const distances = drawing.input('distances', 'int64', [1, 'tokens', 'tokens']);
  const tokens = drawEncoder(layers, encoder, vocabularyOf(weights), { ids, distances });
  const at = (name: string) => layers.rows(tokens, list(name));
  const size = encoder.hiddenSize;
  return drawing.model({
    word_vectors: at('words'),
    field_vectors: at('fields'),
    counts: drawCounts(layers, size, at('prompts')),
    choice_scores: drawClassifier(layers, size, at('choices')),
  });
}

/**
 * The graph that scores spans. Inputs: `words` [words, hidden size] and `fields` [fields, hidden size] as the other gives them, `mask`
 * [fields, fields], and int64: `steps` [1], `queries` (record * fields + field of each that is looked for), `firsts` and `lasts` (words of each span).
 * Output: `scores` [spans, queries].
 * @throws ArtifactError when the weights are not those of the configuration
 */
export function scoringGraph(weights: Weights, { encoder, countingLayer }: Gliner2Config): Uint8Array {
  const drawing = new Drawing(weights);
  const layers = new Layers(drawing);
  const size = encoder.hiddenSize;
  const vectors = (name: string) => drawing.input(name, 'float32', [name, size]);
  const list = (name: string) => drawing.input(name, 'int64', [name]);
  const [words, fields] = [vectors('words'), vectors('fields')];
  const mask = drawing.input('mask', 'float32', ['fields', 'fields']);
  const steps = drawing.input('steps', 'int64', [1]);
  const all = drawQueries(layers, countingLayer, size, { fields, steps, mask });
  const queries = layers.rows(all, list('queries'));
  return drawing.model({
    scores: drawSpanScores(layers, size, { words, queries, firsts: list('firsts'), lasts: list('lasts') }),
  });
}
