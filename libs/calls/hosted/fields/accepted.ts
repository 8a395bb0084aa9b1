import type { ProviderStyle } from '../provider-styles.js';

/** Values of a field that providers of a style accept, where that is less than other dialects have. */
interface AcceptedValues {
  readonly style: ProviderStyle;
  /** Paths in the body that the provider gets. */
  readonly fields: readonly string[];
  readonly accepts: string;
  /** What becomes of other values. */
  readonly others: string;
}

const styled = (style: ProviderStyle, fields: readonly string[], accepts: string, others: string): AcceptedValues => ({
  ...{ style, fields, accepts, others },
});

/** For docs/reference/request-fields.md; `test/support/strict-openai.ts` and `strict-anthropic.ts` refuse as those styles do. */
export const ACCEPTED_VALUES: readonly AcceptedValues[] = [
  styled(
    'openai',
    ['messages.tool_calls.id', 'messages.tool_call_id'],
    '1 to 40 characters',
    'replaced, alike in both',
  ),
  styled('openai', ['tools.function.name'], '64 letters, digits, `_`, `-`', 'replaced, and back in answers'),
  styled('openai', ['messages.name'], '64 characters, no blank or `<|\\/>`', '`_` instead'),
  styled('openai', ['*', 'messages.*'], 'no `null`, empty list, or choice of no tools', 'left out; `content` is `""`'),
  styled('anthropic', ['tools.name'], 'the same, 128', 'replaced'),
  styled(
    'anthropic',
    ['messages.content[tool_use].id', 'messages.content[tool_result].tool_use_id'],
    'letters, digits, `_`, `-`; each once',
    'replaced, alike in both',
  ),
  styled('anthropic', ['messages.content[tool_use].input'], 'an object', '`{"INVALID_JSON": ...}`'),
  styled(
    'anthropic',
    ['messages.content[text].text', 'system'],
    'more than white space; none at the end of a last assistant turn',
    'left out; trimmed',
  ),
  styled('anthropic', ['messages.content[thinking].signature'], 'its own', 'the recorded one, or dropped'),
  styled('anthropic', ['temperature', 'top_p'], '0 to 1, one of the two', 'above 1 is 1; `top_p` dropped'),
  styled(
    'anthropic',
    ['thinking'],
    'no `temperature`, `top_k`, `top_p` below 0.95, forced tool',
    'those dropped; with a forced tool `thinking`',
  ),
  styled('anthropic', ['messages.content[text].citations'], 'its own', 'dropped'),
  styled('anthropic', ['stop_sequences'], 'more than white space', 'dropped'),
  styled('anthropic', ['thinking.budget_tokens'], '1,024 to less than `max_tokens`', 'the nearest, or no `thinking`'),
  styled(
    'anthropic',
    ['output_config.format.schema', 'tools.input_schema'],
    'no `anyOf` at the top of a tool; of a strict one: `additionalProperties: false`; no `minimum`, `maxLength`, `oneOf`, ...',
    'told in descriptions, and dropped as `schema.KEY`; a recursive tool is not `strict`',
  ),
];
