import type { CallContent, CallMetered } from './events.js';

/** The content that a `call-metered` event has, as a `call-content` event has it; null if it has none. */
export function contentIn(call: CallMetered['data']): CallContent['data'] | null {
  const { content, inferenceId, workspaceId, modelId, modelName, modelVersion, shadowOf, task, status } = call;
  if (content === undefined) return null;
  const { subject, thoughts, leastCertain, comparison, contentKey, erased } = call;
  const isJudged = leastCertain !== undefined || (comparison !== undefined && shadowOf === undefined);
  const isOfEncoder = status === 'success' && isTaskOfEncoders(task);
  return {
    ...{ inferenceId, workspaceId, content },
    ...(subject !== undefined && { subject }),
    ...(thoughts !== undefined && { thoughts }),
    ...(leastCertain !== undefined && { leastCertain }),
    ...(isJudged && { modelId }),
    ...(comparison !== undefined && { comparison }),
    ...(isOfEncoder && modelName !== undefined && { modelName, modelVersion: modelVersion! }),
    ...(contentKey !== undefined && { contentKey }),
    ...(erased !== undefined && { erased }),
  };
}

/** Whether encoders do it: what they answer has confidences. */
export const isTaskOfEncoders = (task: string): boolean => task !== 'generate' && task !== 'embed';

/** The data of a `call-metered` event without its content. */
export function withoutContent(call: CallMetered['data']) {
  const {
    content: _,
    subject: _subject,
    thoughts: _thoughts,
    leastCertain: _least,
    comparison: _comparison,
    ...rest
  } = call;
  const { contentKey: _key, erased: _erased, ...metered } = rest;
  return metered;
}
