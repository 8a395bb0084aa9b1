import type { EncoderAnswer } from '#calls/backends/runner/encoders.js';
import type { DecoderAnswer } from '#calls/index.js';
import type { Model } from '#calls/models.js';
import type { ExplainingRow, Explanation } from '#calls/training-rows.js';
import { allTokens } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { rounded } from '#calls/encoder-result.js';

/** The answer of `POST /inference` for an encoder. */
export interface NativeEncoderAnswer extends JsonObject {
  readonly type: 'encoder';
  /** null if nothing was stored. */
  readonly inference_id: string | null;
  /** A list when `text` was one. */
  readonly result: Json;
  readonly model_id: string;
  /** The model that ran: an alias's target, or the training job. */
  readonly model_used: string;
  readonly latency_ms: number;
  readonly token_usage: number;
}

/** The answer of `POST /inference` for a decoder. */
export interface NativeDecoderAnswer extends JsonObject {
  readonly type: 'decoder';
  readonly inference_id: string | null;
  readonly completion: string;
  readonly model_id: string;
  /** The model that ran: an alias's target. */
  readonly model_used: string;
  readonly latency_ms: number;
  /** Input and output tokens, cached ones included. */
  readonly token_usage: number;
}

/** @param answer null: the model was only loaded */
export function encodeEncoderAnswer(
  model: Model,
  store: boolean,
  answer: EncoderAnswer | null,
  explanation?: Explanation & { readonly isBatch: boolean },
): NativeEncoderAnswer {
  const warnings = [...(answer?.warnings ?? []), ...(explanation?.warnings ?? [])];
  return {
    type: 'encoder',
    inference_id: answer && store ? answer.inferenceId : null,
    result: answer ? answer.result : {},
    model_id: model.modelId,
    model_used: model.trainingJobId ?? model.entry.id,
    latency_ms: answer ? answer.latencyMs : 0,
    token_usage: answer ? answer.inputTokens : 0,
    ...(explanation?.rows && { explanation: encodeExplanation(explanation.rows, explanation.isBatch) }),
    ...(warnings.length > 0 && { warnings: warnings as unknown as Json }),
    ...(answer?.truncated && { truncated: true }),
  };
}

/** @param answer null: the model was only loaded */
export function encodeDecoderAnswer(model: Model, store: boolean, answer: DecoderAnswer | null): NativeDecoderAnswer {
  return {
    type: 'decoder',
    model_id: model.modelId,
    model_used: model.entry.id,
    inference_id: answer && store ? answer.inferenceId : null,
    completion: answer ? answer.text : '',
    latency_ms: answer ? answer.latencyMs : 0,
    token_usage: answer ? allTokens(answer.usage) : 0,
  };
}

/** @param rows of each text */
function encodeExplanation(rows: readonly (readonly ExplainingRow[])[], isBatch: boolean): Json {
  const explanations = rows.map((nearest) => ({ nearest_rows: nearest.map(encodeRow) }));
  return isBatch ? explanations : explanations[0]!;
}

const encodeRow = ({ text, isExcerpt, labels, annotations, similarity, dataset, row }: ExplainingRow): JsonObject => ({
  text,
  ...(isExcerpt && { is_excerpt: true }),
  labels,
  ...annotations,
  similarity: rounded(similarity),
  dataset_name: dataset.name,
  version_number: `${dataset.versionNumber}`,
  row: row + 1,
});
