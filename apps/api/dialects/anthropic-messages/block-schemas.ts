import type { OpenAPIObject } from '@nestjs/swagger';

/** Content blocks. */

const MAX_BLOCKS = 100_000;

const WORD = { type: 'string', minLength: 1 } as const;
const TEXT = { type: 'string' } as const;

/** A block that is passed on unchanged. */
export const MARKER = {
  type: 'object',
  nullable: true,
  additionalProperties: true,
  description: 'A cache marker.',
} as const;

type Described = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
export type SchemaObject = Exclude<Described, { $ref: string }>;
export interface OneOf {
  oneOf: SchemaObject[];
}
type Schemas = Record<string, SchemaObject>;

const block = (type: string, required: Schemas, optional: Schemas = {}): SchemaObject => ({
  type: 'object',
  properties: { type: { type: 'string', enum: [type] }, ...required, ...optional, cache_control: MARKER },
  required: ['type', ...Object.keys(required)],
});

/** Blocks of any other type, for providers of this style. */
const otherThan = (types: readonly string[], properties: Schemas = {}): SchemaObject => ({
  type: 'object',
  properties: { type: { ...WORD, not: { enum: [...types] } }, ...properties },
  required: ['type'],
  additionalProperties: true,
  description: 'For providers of this style, passed on unchanged.',
});

const source = (type: string, fields: Schemas): SchemaObject => ({
  type: 'object',
  properties: { type: { type: 'string', enum: [type] }, ...fields },
  required: ['type', ...Object.keys(fields)],
});

const SOURCE: OneOf = {
  oneOf: [
    source('base64', { media_type: WORD, data: { ...WORD, description: 'Base64.' } }),
    source('url', { url: WORD }),
    source('file', { file_id: { ...WORD, description: 'Id of a file stored at the provider.' } }),
    source('text', { data: TEXT }),
    otherThan(['base64', 'url', 'file', 'text']),
  ],
};

const TEXT_BLOCK = block('text', { text: TEXT });
const SHOWN = [
  TEXT_BLOCK,
  block('image', { source: SOURCE }),
  block('document', { source: SOURCE }, { title: { ...TEXT, nullable: true } }),
];
const SHOWN_TYPES = ['text', 'image', 'document'];

const listOf = (schemas: SchemaObject[]): SchemaObject => ({
  type: 'array',
  maxItems: MAX_BLOCKS,
  'x-item': 'block',
  items: { oneOf: schemas },
});
const textOr = (list: SchemaObject): OneOf => ({ oneOf: [TEXT, list] });

const TOOL_USE = block('tool_use', {
  id: WORD,
  name: WORD,
  input: { type: 'object', additionalProperties: true },
});
const TOOL_RESULT = block(
  'tool_result',
  { tool_use_id: WORD },
  {
    content: {
      oneOf: [{ ...TEXT, nullable: true }, listOf([...SHOWN, otherThan(SHOWN_TYPES, { cache_control: MARKER })])],
    },
    is_error: { type: 'boolean', nullable: true },
  },
);
const REDACTED = block('redacted_thinking', { data: WORD });
/** Clients of other models have thoughts without a signature. */
const THOUGHTS = [block('thinking', { thinking: TEXT }, { signature: { ...TEXT, nullable: true } }), REDACTED];

/** A text, or blocks. */
export const CONTENT = textOr(
  listOf([
    ...SHOWN,
    ...THOUGHTS,
    TOOL_USE,
    TOOL_RESULT,
    otherThan([...SHOWN_TYPES, 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'], {
      cache_control: MARKER,
    }),
  ]),
);

/** The blocks of an answer. */
export const ANSWERED_BLOCK: OneOf = {
  oneOf: [
    block('text', { text: TEXT, citations: { type: 'array', nullable: true, items: { type: 'object' } } }),
    ...[block('thinking', { thinking: TEXT, signature: TEXT }), REDACTED],
    block('tool_use', {
      id: WORD,
      name: WORD,
      input: { type: 'object', additionalProperties: true },
      caller: { type: 'object' },
    }),
    otherThan(['text', 'thinking', 'redacted_thinking', 'tool_use']),
  ],
};
