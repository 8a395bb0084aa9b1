import { dollars } from '#domain/inference/index.js';
import type { CallContentBody } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';

/** An inference as the interface shows it. */
export function inferenceRecord(
  document: InferenceDocument,
  content: CallContentBody | null,
  modelName: string,
): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = document;
  return {
    id: document.id,
    user_id: document.userId,
    model_id: document.modelId,
    model_name: modelName,
    base_model: document.baseModel,
    task: document.task,
    input: content?.input ?? null,
    output: content?.output ?? null,
    latency_ms: document.latencyMs,
    ttft_ms: document.ttftMs,
    tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    cost: dollars(document.costPicodollars),
    source: document.source,
    format: document.format,
    status: document.status,
    error_type: document.errorType,
    error_message: content?.errorMessage ?? null,
    created_at: document.createdAt,
    project_id: document.projectId,
    training_job_id: document.trainingJobId,
    ...(document.feedback && humanFields(document.feedback)),
  };
}

/** The fields that appear once feedback was given. */
export function humanFields(feedback: NonNullable<InferenceDocument['feedback']>): Readonly<Record<string, Json>> {
  return {
    human_verdict: feedback.verdict,
    human_corrected_output: feedback.correctedOutput,
    human_feedback_notes: feedback.notes,
    human_feedback_at: feedback.at,
  };
}
