import { reviewerOf, type Caller } from '#application/caller.js';
import { derivedUuid } from '#log/derived-id.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import type { FeedbackCommand, Verdict } from '#domain/feedback/index.js';
import type { ImportedCall } from '#domain/imported-call/index.js';
import {
  countsInFields,
  textsOf,
  type InferenceErrorType,
  type InferenceTask,
  type LeastCertain,
  type TokenCountFields,
} from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { modelReferenceOf } from '#domain/model/index.js';
import { hasLabels, lowestConfidence } from '#projections/inferences/facts.js';
import { isRecord } from '#primitives/values.js';
import { askedOf } from './corrected-output/asked.js';
import { verdictOf } from './commands/give-feedback.js';
import { checkCorrectedOutput } from './corrected-output/corrected-output.js';

interface CallInLine {
  readonly call: ImportedCall;
  /** null if the line has no verdict. */
  readonly feedback: FeedbackCommand | null;
}

/** Fields that concern the other system. */
const ORIGIN_FIELDS = [
  ...['user_id', 'tokens', 'cost', 'source', 'project_id', 'training_job_id'],
  ...['shadow_of', 'dropped_fields', 'imported', 'key_id', 'erased_at', 'human_feedback_by', 'verdicts', 'provider'],
  'cascade',
] as const;

type Text = 'id' | 'model_id' | 'model_name' | 'base_model' | 'error_message' | 'user' | 'shadow_of';
type FeedbackText = 'human_feedback_notes' | 'human_feedback_at' | 'reviewer';
type Count = 'model_version' | keyof TokenCountFields;
type AnyJson = 'input' | 'output' | 'human_corrected_output' | 'truncated_fields';
type Optional<Names extends string, Value> = { readonly [Name in Names]?: Value | null };

/** A call that another system made, as a line of a file has it: as exports have calls. */
export interface ImportedLine
  extends
    Optional<Text | FeedbackText, string>,
    Optional<Count | 'latency_ms' | 'ttft_ms', number>,
    Optional<AnyJson | Exclude<(typeof ORIGIN_FIELDS)[number], Text>, Json> {
  /** ISO 8601. */
  readonly created_at: string;
  readonly task?: InferenceTask | null;
  readonly format?: ImportedCall['format'] | null;
  readonly status?: ImportedCall['status'] | null;
  readonly error_type?: InferenceErrorType | null;
  readonly metadata?: JsonObject | null;
  readonly human_verdict?: Verdict | null;
}

/** A line as it was sent. */
export interface SentLine {
  readonly fields: ImportedLine;
  /** Of all that the line says: the same line is the same call. */
  readonly digest: string;
  /** Fields of another system's export, which are kept in the call's origin. */
  readonly others?: JsonObject;
}

/**
 * A line as a call of the caller's workspace, and the feedback on it.
 * @throws InvalidError, ConflictError naming what cannot be taken
 */
export function callIn(
  { fields: line, digest, others }: SentLine,
  caller: Caller,
  { now }: { readonly now: string },
): CallInLine {
  const { workspaceId, userId, keyId } = caller;
  const modelId = line.model_id ?? line.model_name ?? refuse('model_id', 'is required', 'missing');
  for (const field of ['created_at', 'human_feedback_at'] as const)
    if ((line[field] ?? '') > now) refuse(field, 'must not be in the future', 'out_of_range');
  requireWhole(line);
  const status = line.status ?? 'success';
  const input = inputOf(line.input ?? refuse('input', 'is required: the input of the model', 'missing'));
  const output = line.output ?? null;
  if (output === null && status === 'success')
    refuse('output', 'is required, unless the status is failed; an erased call has none', 'missing');
  const task = line.task ?? (isGenerated(input, output) ? 'generate' : 'schema');
  const content = { input, output, errorMessage: line.error_message ?? null };
  const recorded = { task, input, output, ownLabels: null };
  if (hasLabels(task)) requireEncoderCall(recorded);
  const lineId = line.id ?? null;
  const inferenceId = idOf(workspaceId, lineId === null ? digest : `id/${lineId}`);
  const name = modelReferenceOf(modelId);
  const version = line.model_version ?? (name?.ref && 'version' in name.ref ? name.ref.version : null);
  const leastCertain = hasLabels(task) ? leastCertainIn(output) : null;
  const call: ImportedCall = {
    ...{ inferenceId, workspaceId, userId, keyId, lineId, digest, modelId },
    ...(name && { modelName: name.name, ...(version !== null && { modelVersion: version }) }),
    ...(line.shadow_of && { shadowOf: idOf(workspaceId, `id/${line.shadow_of}`) }),
    modelLabel: line.model_name ?? modelId,
    baseModel: line.base_model ?? modelId,
    ...{ task, format: line.format ?? 'native', status },
    errorType: status === 'failed' ? (line.error_type ?? 'internal') : null,
    ...{ latencyMs: line.latency_ms ?? null, ttftMs: line.ttft_ms ?? null },
    ...countsInFields(line),
    content,
    ...(leastCertain && { leastCertain }),
    ...{
      user: line.user ?? null,
      metadata: line.metadata ?? null,
      origin: { ...others, ...originOf(line) },
      at: line.created_at,
    },
  };
  return { call, feedback: feedbackOf(line, call, caller) };
}

const idOf = (workspaceId: string, name: string): string => derivedUuid(`imported/${workspaceId}/${name}`);

function feedbackOf(line: ImportedLine, call: ImportedCall, caller: Caller): FeedbackCommand | null {
  const { human_verdict: given, human_corrected_output: corrected, human_feedback_notes: notes, reviewer } = line;
  const others = [corrected, notes, line.human_feedback_at, reviewer];
  if (given === undefined || given === null) {
    if (others.every((each) => each === undefined || each === null)) return null;
    return refuse('human_verdict', 'is required where a line has other fields of feedback', 'missing');
  }
  const { verdict, correctedOutput } = verdictOf({ verdict: given, corrected_output: corrected });
  const { task, inferenceId, workspaceId, modelId, content } = call;
  const newLabels =
    correctedOutput === null
      ? []
      : checkCorrectedOutput(
          correctedOutput,
          { task, input: content.input, output: content.output, ownLabels: null },
          'human_corrected_output',
          'any',
        );
  return {
    type: 'give-feedback',
    ...{ inferenceId, workspaceId, modelId, userId: caller.userId, reviewer: reviewerOf(caller, reviewer) },
    ...{ verdict, correctedOutput, notes: notes ?? null },
    ...(newLabels.length > 0 && { newLabels }),
    ...(line.human_feedback_at && { givenAt: line.human_feedback_at }),
  };
}

/** Exports cut large contents. @throws ConflictError */
function requireWhole({ truncated_fields: cut }: ImportedLine): void {
  if (Array.isArray(cut) && cut.length > 0)
    throw new ConflictError(
      `the export shortened its ${cut.join(', ')}; GET /inferences/{id} of the exporting system returns them whole`,
    );
}

/** In the form of recorded calls: texts under `text`, messages under `messages`. */
function inputOf(given: Json): JsonObject {
  if (isRecord(given)) return given;
  if (typeof given === 'string') return { text: given };
  const list = Array.isArray(given) && given.length > 0 ? (given as readonly Json[]) : [];
  if (list.length > 0 && list.every((each) => typeof each === 'string')) return { text: list };
  if (list.length > 0 && list.every(isRecord)) return { messages: list };
  return refuse(
    'input',
    'must be a string, a list of strings, a list of messages, or an object with one of them',
    'wrong_type',
  );
}

const ENCODER_HEADS = ['entities', 'classification', 'relation_extraction'];

/** A text, or an answer to messages or a prompt that has no head of an encoder. */
const isGenerated = ({ messages, prompt }: JsonObject, output: Json): boolean =>
  typeof output === 'string' ||
  ((messages !== undefined || prompt !== undefined) &&
    !(isRecord(output) && ENCODER_HEADS.some((head) => output[head] !== undefined)));

/** @throws InvalidError for a call whose texts or schema cannot be read, or with another number of answers than texts */
function requireEncoderCall(recorded: Parameters<typeof askedOf>[0]): void {
  const { input, output } = recorded;
  const texts = textsOf(input as JsonObject);
  if (texts === null || !texts.every((text) => typeof text === 'string'))
    refuse('input', 'must have a string, or a list of strings, where the task gives labels', 'wrong_type');
  const isBatch = isBatchOf(recorded);
  if (output === null) return;
  if (isBatch ? !Array.isArray(output) || output.length !== texts.length : !isRecord(output))
    refuse(
      'output',
      isBatch
        ? `must be a list of ${texts.length} results, one for each text`
        : 'must be an object where the task gives labels',
      'wrong_type',
    );
}

function isBatchOf(recorded: Parameters<typeof askedOf>[0]): boolean {
  try {
    return askedOf(recorded).isBatch;
  } catch {
    // Calls here have schemas that were validated before they ran; this one was not.
    return refuse('input', 'has a schema that is none of an encoder', 'wrong_type');
  }
}

const originOf = (line: ImportedLine): JsonObject =>
  Object.fromEntries(ORIGIN_FIELDS.flatMap((name) => (line[name] == null ? [] : [[name, line[name]]])));

/** The answer with the lowest confidence, and its label; null if the answer has no confidence. */
function leastCertainIn(output: Json): LeastCertain | null {
  let least: LeastCertain | null = null;
  const see = (label: string, value: Json) => {
    const confidence = lowestConfidence(value);
    if (confidence !== null && confidence < (least?.confidence ?? Infinity)) least = { confidence, label };
  };
  for (const result of Array.isArray(output) ? (output as readonly Json[]) : [output])
    for (const [head, found] of Object.entries(isRecord(result) ? result : {}))
      for (const [label, value] of labelled(head, found ?? null)) see(label, value);
  return least;
}

/** The parts of a head, each with its label. */
function labelled(head: string, found: Json): readonly (readonly [string, Json])[] {
  const all = Array.isArray(found) ? (found as readonly Json[]) : [found];
  return all.flatMap((each) => {
    if (!isRecord(each)) return [];
    if (typeof each['label'] === 'string') return [[each['label'], each]];
    const fields = Object.entries(each) as [string, Json][];
    return fields.map(([name, value]) => [ENCODER_HEADS.includes(head) ? name : `${head}.${name}`, value]);
  });
}

function refuse(field: string, message: string, type: string): never {
  throw new InvalidError({ path: ['body', field], message, type });
}
