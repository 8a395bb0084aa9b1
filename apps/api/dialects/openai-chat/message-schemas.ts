import type { JsonObject } from '#domain/json.js';

/** The messages of a chat completion. */

const MAX_MESSAGES = 10_000;
const MAX_PARTS = 10_000;
const MAX_CALLS = 10_000;

const object = (properties: Record<string, object>, required = Object.keys(properties)) =>
  ({ type: 'object', properties, required }) as const;
const word = { type: 'string', minLength: 1 };
const text = { type: 'string' };
const nullable = (schema: object) => ({ ...schema, nullable: true });
export const CACHE_CONTROL = {
  type: 'object',
  nullable: true,
  additionalProperties: true,
  description: 'A cache marker.',
};

const part = (type: string, content: object) => ({
  ...object({ type: { type: 'string', enum: [type] }, [type]: content }),
  properties: { type: { type: 'string', enum: [type] }, [type]: content, cache_control: CACHE_CONTROL },
});
const KNOWN_PARTS = ['text', 'refusal', 'image_url', 'input_audio', 'file'];
const fileFields = { file_data: nullable(word), file_id: nullable(word), filename: nullable(word) };

const PART = {
  oneOf: [
    part('text', text),
    part('refusal', text),
    part('image_url', {
      ...object({ url: word }),
      properties: {
        url: { ...word, description: 'An address, or `data:<media type>;base64,<data>`.' },
        detail: nullable(word),
      },
    }),
    part('input_audio', object({ data: word, format: word })),
    part('file', {
      type: 'object',
      properties: fileFields,
      oneOf: ['file_data', 'file_id'].map((name) => ({ properties: { [name]: word }, required: [name] })),
      'x-refusal': 'must have either file_data or file_id',
    }),
    {
      ...object({ type: { ...word, not: { enum: KNOWN_PARTS } } }),
      description: 'For providers of this style, passed on unchanged.',
    },
  ],
};

const CONTENT = { oneOf: [text, { type: 'array', items: PART, minItems: 1, maxItems: MAX_PARTS, 'x-item': 'part' }] };
const nullableContent = { oneOf: [nullable(text), CONTENT.oneOf[1]!] };

const message = (roles: readonly string[], properties: Record<string, object>, required: readonly string[]) => ({
  type: 'object',
  properties: { role: { type: 'string', enum: [...roles] }, cache_control: CACHE_CONTROL, ...properties },
  required: ['role', ...required],
});

const CALLED = object({ name: word, arguments: { ...text, description: 'JSON text.' } });
const TOOL_CALL = {
  oneOf: [
    {
      type: 'object',
      properties: {
        id: word,
        type: { type: 'string', enum: ['function', null], nullable: true },
        function: CALLED,
        cache_control: CACHE_CONTROL,
      },
      required: ['id', 'function'],
    },
    {
      ...object({ type: { ...word, not: { enum: ['function'] } } }),
      description: 'For providers of this style, passed on unchanged.',
    },
  ],
};
const THINKING_BLOCK = {
  oneOf: [
    {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['thinking', null], nullable: true },
        thinking: text,
        signature: nullable(text),
      },
      required: ['thinking'],
    },
    object({ type: { type: 'string', enum: ['redacted_thinking'] }, data: text }),
  ],
};

const ASSISTANT = message(
  ['assistant'],
  {
    content: { oneOf: [nullable(text), { ...CONTENT.oneOf[1]!, minItems: 0 }] },
    name: nullable(word),
    refusal: nullable(text),
    tool_calls: { type: 'array', nullable: true, maxItems: MAX_CALLS, items: TOOL_CALL, 'x-item': 'call' },
    function_call: nullable(CALLED),
    audio: nullable(object({ id: word })),
    reasoning_content: { ...nullable(text), description: 'Reasoning, in the form of answers.' },
    reasoning: { ...nullable(text), description: 'Alias of `reasoning_content`, used by other vendors.' },
    thinking_blocks: { type: 'array', nullable: true, maxItems: MAX_CALLS, items: THINKING_BLOCK, 'x-item': 'block' },
  },
  [],
);

export const MESSAGES = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_MESSAGES,
  'x-item': 'message',
  items: {
    oneOf: [
      message(['system', 'developer', 'user'], { content: CONTENT, name: nullable(word) }, ['content']),
      ASSISTANT,
      message(['tool'], { content: CONTENT, tool_call_id: word }, ['content', 'tool_call_id']),
      message(['function'], { content: nullableContent, name: word }, ['content', 'name']),
    ],
  },
};

interface Open {
  readonly cache_control?: JsonObject | null;
  readonly [other: string]: unknown;
}

export type ChatRole = 'developer' | 'system' | 'user' | 'assistant' | 'tool' | 'function';

/** A message that passed the schema: the required fields of its role are present. */
export interface ChatMessage extends Open {
  readonly role: ChatRole;
  readonly content?: string | readonly ChatPart[] | null;
  readonly name?: string | null;
  readonly tool_call_id?: string;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ChatCall[] | null;
  readonly function_call?: Called | null;
  readonly audio?: object | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly thinking_blocks?: readonly ChatThought[] | null;
}

export interface ChatPart extends Open {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly image_url?: { readonly url: string; readonly detail?: string | null };
  readonly input_audio?: { readonly data: string; readonly format: string };
  readonly file?: {
    readonly file_data?: string | null;
    readonly file_id?: string | null;
    readonly filename?: string | null;
  };
}

interface Called extends Open {
  readonly name: string;
  readonly arguments: string;
}

export interface ChatCall extends Open {
  readonly id?: string;
  readonly type?: string | null;
  readonly function?: Called;
}

export interface ChatThought {
  readonly type?: string | null;
  readonly thinking?: string;
  readonly signature?: string | null;
  readonly data?: string;
}
