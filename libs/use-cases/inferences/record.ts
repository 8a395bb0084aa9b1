import { allTokens, dollars, tokenFields, type AnsweringProvider, type CascadeFacts } from '#domain/inference/index.js';
import type { ImportOrigin, InferenceDocument } from '#projections/inferences/projection.js';
import type { GivenFeedback } from '../calls/call-contents.js';
import type { Content } from '../calls/whole-content.js';

/** Size of a listed record: input, output and correction are cut to 3 KiB each. */
export const LISTED_RECORD_BYTES = 12 * 1024;

/** A call as the interface shows it. */
export type CallRecord = ReturnType<typeof inferenceRecord>;
export type ListedRecord = ReturnType<typeof listedRecord>;

/** A call as lists show it: large texts are cut, and `truncated_fields` names them. */
export function listedRecord(document: InferenceDocument, modelName: string) {
  const { content, feedback } = document;
  const truncated = [...(content?.truncated ?? []), ...(feedback?.truncated ?? [])].map(
    (name) => SHOWN_AS[name] ?? name,
  );
  return {
    ...inferenceRecord(document, content, feedback, modelName),
    ...(truncated.length > 0 && { truncated_fields: truncated }),
  };
}

const SHOWN_AS: Readonly<Record<string, string>> = {
  errorMessage: 'error_message',
  correctedOutput: 'human_corrected_output',
  notes: 'human_feedback_notes',
};

/** A call with a content, whole or cut. */
export function inferenceRecord(
  document: InferenceDocument,
  content: Content | null,
  feedback: GivenFeedback | null,
  modelName: string,
) {
  return {
    ...recordOfCall(document, modelName),
    input: content?.input ?? null,
    output: content?.output ?? null,
    error_message: content?.errorMessage ?? null,
    ...(feedback && humanFields(feedback)),
  };
}

/** A call without its content, for callers who may not see content. */
export const withoutContent = ({ imported: _, feedback, ...document }: InferenceDocument): InferenceDocument => ({
  ...document,
  ...{ content: null, whole: null },
  feedback: feedback && { ...feedback, correctedOutput: null, notes: null, truncated: [] },
});

/** A record without the call's content. */
export function recordOfCall(document: InferenceDocument, modelName: string) {
  return {
    id: document.id,
    user_id: document.userId,
    model_id: document.modelId,
    model_name: modelName,
    base_model: document.baseModel,
    task: document.task,
    latency_ms: document.latencyMs,
    ttft_ms: document.ttftMs,
    tokens: allTokens(document),
    ...tokenFields(document),
    cost: dollars(document.costPicodollars),
    source: document.source,
    format: document.format,
    status: document.status,
    error_type: document.errorType,
    created_at: document.createdAt,
    project_id: document.projectId,
    training_job_id: document.trainingJobId,
    ...(document.erasedAt !== undefined && { erased_at: document.erasedAt }),
    ...(document.dropped && { dropped_fields: document.dropped }),
    ...(document.provider && { provider: providerRecord(document.provider) }),
    ...(document.modelVersion !== undefined && { model_version: document.modelVersion }),
    ...(document.imported && { imported: importRecord(document.imported) }),
    ...(document.shadowOf !== undefined && { shadow_of: document.shadowOf }),
    ...(document.cascade && { cascade: cascadeRecord(document.cascade) }),
  };
}

/** A provider of an answer, as the API shows it. */
export const providerRecord = ({ name, model, response = {} }: AnsweringProvider) => ({
  name,
  model,
  ...(response.id !== undefined && { response_id: response.id }),
  ...(response.model !== undefined && { response_model: response.model }),
  ...(response.systemFingerprint !== undefined && { system_fingerprint: response.systemFingerprint }),
});

const cascadeRecord = ({ distillationId, by, reason, certainty, unlike, agrees }: CascadeFacts) => ({
  ...{ distillation_id: distillationId, by, reason },
  ...(certainty !== undefined && { certainty }),
  ...(unlike !== undefined && { unlike }),
  ...(agrees !== undefined && { agrees }),
});

const importRecord = ({ by, at, lineId, user, metadata, origin }: ImportOrigin) => ({
  ...{ by, at, id: lineId, user, metadata, origin },
});

/** The fields that appear once feedback was given. */
export function humanFields(feedback: GivenFeedback) {
  return {
    human_verdict: feedback.verdict,
    human_corrected_output: feedback.correctedOutput,
    human_feedback_notes: feedback.notes,
    human_feedback_at: feedback.at,
  };
}

/** A reviewer's verdict. */
export function verdictRecord({ userId, reviewer, verdict, correctedOutput, notes, at, newLabels }: GivenFeedback) {
  const given = { reviewer, user_id: userId, verdict, corrected_output: correctedOutput, notes, at };
  return { ...given, ...(newLabels && { new_labels: newLabels }) };
}
