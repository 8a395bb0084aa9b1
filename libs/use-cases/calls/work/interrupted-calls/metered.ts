import { interruptedUsage, meteredOf } from '#calls/recording/metered.js';
import type { CallMetered, CallOpened } from '#domain/inference/index.js';

/** What the log keeps of a call whose writer has died. */
export function interruptedMetered(opened: CallOpened['data']): CallMetered['data'] {
  const { workspaceId, store, estimatedInputTokens, chargedTo } = opened;
  const usage = interruptedUsage(estimatedInputTokens);
  const metered = meteredOf(opened, chargedTo, { usage, errorType: 'internal', latencyMs: 0, ttftMs: null });
  // Listed in the history, although its content is lost.
  return { ...metered, workspaceId, stored: store, contentHmac: null };
}
