import type { JsonObject } from '#domain/json.js';
import { CACHE_CONTROL } from './message-schemas.js';

/** Tools and formats of an answer. */

const MAX_TOOLS = 10_000;

const word = { type: 'string', minLength: 1 };
const named = { type: 'object', properties: { name: word }, required: ['name'] };
const foreign = (...known: readonly string[]) => ({
  type: 'object',
  properties: { type: { ...word, not: { enum: [...known] } } },
  required: ['type'],
  description: 'For providers of this style, passed on unchanged.',
});
const JSON_SCHEMA = { type: 'object', nullable: true, additionalProperties: true, description: 'A JSON schema.' };
const described = {
  name: word,
  description: { type: 'string', nullable: true },
  strict: { type: 'boolean', nullable: true },
};
const FUNCTION = {
  type: 'object',
  properties: { ...described, parameters: JSON_SCHEMA, cache_control: CACHE_CONTROL },
  required: ['name'],
};
const ofType = (type: string, more: Record<string, object> = {}) => ({
  type: 'object',
  properties: { type: { type: 'string', enum: [type] }, ...more },
  required: ['type', ...Object.keys(more)],
});
const FUNCTION_TOOL = ofType('function', { function: FUNCTION });

const list = (items: object) => ({ type: 'array', nullable: true, maxItems: MAX_TOOLS, items, 'x-item': 'tool' });

export const TOOLS = list({
  oneOf: [
    { ...FUNCTION_TOOL, properties: { ...FUNCTION_TOOL.properties, cache_control: CACHE_CONTROL } },
    foreign('function'),
  ],
});
export const FUNCTIONS = list(FUNCTION);

export const TOOL_CHOICE = {
  oneOf: [
    { type: 'string', enum: ['none', 'auto', 'required', null], nullable: true },
    ofType('function', { function: named }),
    foreign('function'),
  ],
};
export const FUNCTION_CALL = { oneOf: [{ type: 'string', enum: ['none', 'auto', null], nullable: true }, named] };

export const RESPONSE_FORMAT = {
  oneOf: [
    { ...ofType('text'), nullable: true },
    ofType('json_object'),
    ofType('json_schema', {
      json_schema: { type: 'object', properties: { ...described, schema: JSON_SCHEMA }, required: ['name'] },
    }),
    foreign('text', 'json_object', 'json_schema'),
  ],
};

interface Open {
  readonly cache_control?: JsonObject | null;
  readonly [other: string]: unknown;
}

interface Described extends Open {
  readonly name: string;
  readonly description?: string | null;
  readonly strict?: boolean | null;
}

export interface ChatFunction extends Described {
  readonly parameters?: JsonObject | null;
}

export interface ChatTool extends Open {
  readonly type: string;
  readonly function?: ChatFunction;
}

export type ChatToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: string; readonly function?: { readonly name: string }; readonly custom?: unknown };

export interface ChatFormat {
  readonly type: string;
  readonly json_schema?: Described & { readonly schema?: JsonObject | null };
}
