import { EFFORTS, type Thinking } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { ChatCompletionBody } from './dto.js';

const THINKING_FIELDS = new Set(['type', 'budget_tokens']);

/** The field of gateways such as OpenRouter (https://openrouter.ai/docs/use-cases/reasoning-tokens), which the body's class lacks. */
export const REASONING = 'reasoning';
const REASONING_FIELDS = new Set(['effort', 'max_tokens', 'enabled']);

/**
 * Decodes `reasoning_effort`, and the `thinking` field that other vendors add: DeepSeek, Z.ai, Moonshot, and proxies of
 * Claude (https://api-docs.deepseek.com/guides/thinking_mode). Providers of this style get it unchanged.
 */
export function thinkingOf(reader: DialectReader, body: ChatCompletionBody): { readonly thinking?: Thinking } {
  const { thinking, reasoning_effort: said } = body;
  const effort = EFFORTS.find((each) => each === said);
  if (effort === undefined) reader.carry(said, ['reasoning_effort']);
  const { [REASONING]: reasoning } = body as object as { readonly [REASONING]?: unknown };
  if (isRecord(reasoning) && !isPresent(thinking) && !isPresent(said)) return reasoningOf(reader, reasoning);
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

function reasoningOf(
  reader: DialectReader,
  given: Readonly<Record<string, unknown>>,
): { readonly thinking?: Thinking } {
  reader.carryOthers(given, REASONING_FIELDS, [REASONING]);
  const { max_tokens: budget, enabled } = given;
  if (enabled === false) return { thinking: { mode: 'disabled' } };
  const effort = EFFORTS.find((each) => each === given['effort']);
  if (effort !== undefined) return { thinking: { effort } };
  reader.carry(given['effort'], [REASONING, 'effort']);
  if (Number.isInteger(budget)) return { thinking: { mode: 'enabled', budgetTokens: budget as number } };
  return enabled === true ? { thinking: { mode: 'adaptive' } } : {};
}
