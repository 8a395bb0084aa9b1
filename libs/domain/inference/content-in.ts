import type { CallContent, CallMetered } from './events.js';

/** The content that a `call-metered` event has, as a `call-content` event has it; null if it has none. */
export function contentIn(call: CallMetered['data']): CallContent['data'] | null {
  const { content, inferenceId, workspaceId, modelId, modelName, modelVersion, shadowOf, task, status } = call;
  if (content === undefined) return null;
  const { subject, thoughts, leastCertain, asRow, comparison, contentKey, erased } = call;
  const isJudged = leastCertain !== undefined || (comparison !== undefined && shadowOf === undefined);
  const isOfEncoder = status === 'success' && isTaskOfEncoders(task);
  // Member by member: spreads take several times as long, and several read models ask for it.
  const said: Mutable<CallContent['data']> = { inferenceId, workspaceId, content };
  if (subject !== undefined) said.subject = subject;
  if (thoughts !== undefined) said.thoughts = thoughts;
  if (leastCertain !== undefined) said.leastCertain = leastCertain;
  if (asRow !== undefined) said.asRow = asRow;
  if (isJudged) said.modelId = modelId;
  if (comparison !== undefined) said.comparison = comparison;
  if (isOfEncoder && modelName !== undefined) [said.modelName, said.modelVersion] = [modelName, modelVersion!];
  if (contentKey !== undefined) said.contentKey = contentKey;
  if (erased !== undefined) said.erased = erased;
  return said;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Whether encoders do it: what they answer has confidences. */
export const isTaskOfEncoders = (task: string): boolean => task !== 'generate' && task !== 'embed';

/** The data of a `call-metered` event without its content. */
export function withoutContent(call: CallMetered['data']) {
  const {
    content: _,
    subject: _subject,
    thoughts: _thoughts,
    leastCertain: _least,
    asRow: _row,
    comparison: _comparison,
    contentKey: _key,
    erased: _erased,
    ...metered
  } = call;
  return metered;
}
