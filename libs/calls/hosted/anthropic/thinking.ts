import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import type { Dropped } from '../dropped.js';
import type { Thinking } from '../port.js';

/**
 * The field `thinking`. A turn that calls tools must begin with its thoughts if thinking has a budget, and those may have
 * been dropped (https://platform.claude.com/docs/en/build-with-claude/extended-thinking): the request is then made without
 * thinking.
 */
export function thinkingWithin(
  turns: readonly JsonObject[],
  thinking: Json | undefined,
  dropped: Dropped,
): { thinking?: Json } {
  if (thinking === undefined) return {};
  if (!isRecord(thinking) || thinking['type'] !== 'enabled') return { thinking };
  const last = turns.findLast(({ role }) => role === 'assistant')?.['content'];
  const types = Array.isArray(last) ? last.map((block) => (block as JsonObject)['type']) : [];
  if (!types.includes('tool_use') || types.some((type) => type === 'thinking' || type === 'redacted_thinking'))
    return { thinking };
  dropped.drop('thinking');
  return {};
}

/** Thinking without a budget is as much as the model finds right. An effort alone leaves it to the model whether it thinks. */
export function thinkingOf({ mode, budgetTokens, effort }: Thinking = {}): JsonObject | undefined {
  if (mode === 'disabled' || effort === 'none') return { type: 'disabled' };
  if (budgetTokens !== undefined) return { type: 'enabled', budget_tokens: budgetTokens };
  return mode === undefined ? undefined : { type: 'adaptive' };
}

/** Whether the field `thinking` makes the model think, which limits its sampling and its choice of tools. */
export const thinks = (thinking: Json | undefined): boolean =>
  isRecord(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive');
