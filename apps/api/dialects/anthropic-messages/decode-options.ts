import type { JsonObject } from '#domain/json.js';
import { EFFORTS, type Effort, type ResponseFormat, type Thinking } from '#hosted-models/port.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { Fields, Path } from './block-fields.js';
import { LEAST_BUDGET, MOST_TOKENS } from './bounds.js';

const THINKING_FIELDS: ReadonlySet<string> = new Set(['type', 'budget_tokens']);
const OUTPUT_FIELDS: ReadonlySet<string> = new Set(['effort', 'format']);
const FORMAT_FIELDS: ReadonlySet<string> = new Set(['type', 'schema']);

/** How much is to be thought. A mode that is not known here passes to providers of this style. */
export function readThinking(reader: DialectReader, value: unknown, effort?: Effort): Thinking | undefined {
  const asked = effort && { effort };
  if (value === undefined || value === null) return asked;
  const thinking = reader.record(value, ['thinking'], 'an object with type');
  reader.carryOthers(thinking, THINKING_FIELDS, ['thinking']);
  const mode = reader.string(thinking['type'], ['thinking', 'type'], 'enabled, adaptive or disabled');
  switch (mode) {
    case 'enabled':
      return { mode, budgetTokens: readBudget(reader, thinking['budget_tokens']), ...asked };
    case 'adaptive':
    case 'disabled':
      reader.carry(thinking['budget_tokens'], ['thinking', 'budget_tokens']);
      return { mode, ...asked };
    default:
      reader.carry(mode, ['thinking', 'type']);
      return asked;
  }
}

function readBudget(reader: DialectReader, value: unknown): number {
  const path = ['thinking', 'budget_tokens'];
  if (value === undefined || value === null) reader.refuse(path, 'is required: how many tokens', 'missing');
  return reader.integer(value, path, [LEAST_BUDGET, MOST_TOKENS]) ?? LEAST_BUDGET;
}

/** `output_config`, and `output_format`, which went before it. */
export function readOutput(
  reader: DialectReader,
  { output_config: config, output_format: format }: Fields,
): { readonly responseFormat?: ResponseFormat | undefined; readonly effort?: Effort | undefined } {
  const older = readFormat(reader, format, ['output_format']);
  if (config === undefined || config === null) return { responseFormat: older };
  const path = ['output_config'];
  const fields = reader.record(config, path, 'an object with format or effort');
  reader.carryOthers(fields, OUTPUT_FIELDS, path);
  return {
    responseFormat: readFormat(reader, fields['format'], [...path, 'format']) ?? older,
    effort: readEffort(reader, fields['effort'], [...path, 'effort']),
  };
}

function readEffort(reader: DialectReader, value: unknown, path: Path): Effort | undefined {
  const named = reader.optionalString(value, path);
  const effort = EFFORTS.find((each) => each === named);
  if (effort === undefined) reader.carry(named, path);
  return effort;
}

function readFormat(reader: DialectReader, value: unknown, path: Path): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const format = reader.record(value, path, 'an object with type and schema');
  const type = reader.string(format['type'], [...path, 'type'], 'json_schema');
  if (type !== 'json_schema') {
    reader.carry(type, [...path, 'type']);
    return undefined;
  }
  reader.carryOthers(format, FORMAT_FIELDS, path);
  const schema = reader.record(format['schema'], [...path, 'schema'], 'a JSON schema') as JsonObject;
  return { type, name: 'output', schema, strict: true };
}
