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

/** The least that this style takes. */
const LEAST_BUDGET = 1_024;

/**
 * A budget within what this style takes: at least 1,024 tokens, and fewer than the answer may have. Other vendors have no such
 * bounds. The caller is told, also where an answer has no room for thoughts.
 */
export function affordable(
  thinking: JsonObject | undefined,
  maxTokens: number,
  dropped: Dropped,
): JsonObject | undefined {
  const { type, budget_tokens: asked } = thinking ?? {};
  if (type !== 'enabled' || typeof asked !== 'number') return thinking;
  const budget = Math.max(Math.min(asked, maxTokens - 1), LEAST_BUDGET);
  if (budget === asked) return thinking;
  dropped.drop('thinking.budget_tokens');
  return budget < maxTokens ? { ...thinking, budget_tokens: budget } : undefined;
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
