import { EFFORTS, type Effort, type ResponseFormat, type Thinking } from '#calls/hosted/port.js';
import { isPresent } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { Path } from './block-fields.js';
import type { AnthropicFormat, AnthropicMessagesBody } from './dto.js';

const THINKING_FIELDS: ReadonlySet<string> = new Set(['type', 'budget_tokens']);
const OUTPUT_FIELDS: ReadonlySet<string> = new Set(['effort', 'format']);
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'schema']);

/** Decodes `thinking`. Unknown modes are passed on to providers of this style. */
export function thinkingOf(
  reader: DialectReader,
  thinking: AnthropicMessagesBody['thinking'],
  effort?: Effort,
): Thinking | undefined {
  const asked = effort && { effort };
  if (!isPresent(thinking)) return asked;
  reader.carryOthers(thinking, THINKING_FIELDS, ['thinking']);
  const { type: mode, budget_tokens: budgetTokens } = thinking;
  switch (mode) {
    case 'enabled':
      return { mode, budgetTokens: budgetTokens as number, ...asked };
    case 'adaptive':
    case 'disabled':
      reader.carry(budgetTokens, ['thinking', 'budget_tokens']);
      return { mode, ...asked };
    default:
      reader.carry(mode, ['thinking', 'type']);
      return asked;
  }
}

/** `output_config`, and `output_format`, which went before it. */
export function outputOf(
  reader: DialectReader,
  { output_config: config, output_format: format }: AnthropicMessagesBody,
): { readonly responseFormat?: ResponseFormat | undefined; readonly effort?: Effort | undefined } {
  const older = formatOf(reader, format, ['output_format']);
  if (!isPresent(config)) return { responseFormat: older };
  const path = ['output_config'];
  reader.carryOthers(config, OUTPUT_FIELDS, path);
  const effort = EFFORTS.find((each) => each === config.effort);
  if (effort === undefined) reader.carry(config.effort, [...path, 'effort']);
  return { responseFormat: formatOf(reader, config.format, [...path, 'format']) ?? older, effort };
}

function formatOf(
  reader: DialectReader,
  format: AnthropicFormat | null | undefined,
  path: Path,
): ResponseFormat | undefined {
  if (!isPresent(format)) return undefined;
  if (format.type !== 'json_schema') {
    reader.carry(format.type, [...path, 'type']);
    return undefined;
  }
  reader.carryOthers(format, FORMAT_FIELDS, path);
  return { type: format.type, name: 'output', schema: format.schema!, strict: true };
}
