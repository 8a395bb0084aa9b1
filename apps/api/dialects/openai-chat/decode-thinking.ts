import type { Thinking } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { ChatCompletionBody } from './dto.js';

const THINKING_FIELDS = new Set(['type', 'budget_tokens']);

/**
 * Decodes `reasoning_effort`, and the `thinking` field that other vendors add: DeepSeek, Z.ai, Moonshot, and proxies of
 * Claude (https://api-docs.deepseek.com/guides/thinking_mode). Providers of this style get it unchanged.
 */
export function thinkingOf(
  reader: DialectReader,
  { thinking, reasoning_effort: effort }: ChatCompletionBody,
): { readonly thinking?: Thinking } {
  const asked = isPresent(effort) ? { effort } : {};
  if (isRecord(thinking)) {
    const { type: mode, budget_tokens: budget } = thinking;
    if (mode === 'enabled' || mode === 'adaptive' || mode === 'disabled') {
      reader.carryOthers(thinking, THINKING_FIELDS, ['thinking']);
      if (mode === 'enabled' && Number.isInteger(budget))
        return { thinking: { mode, budgetTokens: budget as number, ...asked } };
      reader.carry(budget, ['thinking', 'budget_tokens']);
      return { thinking: { mode: mode === 'enabled' ? 'adaptive' : mode, ...asked } };
    }
  }
  reader.carry(thinking, ['thinking']);
  return isPresent(effort) ? { thinking: asked } : {};
}
