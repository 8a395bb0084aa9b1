import { MOST_MESSAGES } from './decode-messages.js';
import { MOST_PARTS } from './decode-parts.js';

/** The messages of a chat completion, as `decode-messages.ts` takes them. */

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
        url: { ...word, pattern: '^(?:(?!data:)|data:[^;,]+(?:;[^,]*)?;base64,)', description: 'An address, or data.' },
        detail: nullable(word),
      },
    }),
    part('input_audio', object({ data: word, format: word })),
    part('file', {
      type: 'object',
      properties: fileFields,
      oneOf: ['file_data', 'file_id'].map((name) => ({ properties: { [name]: word }, required: [name] })),
    }),
    {
      ...object({ type: { ...word, not: { enum: KNOWN_PARTS } } }),
      description: 'For providers of this style, as it is.',
    },
  ],
};

const CONTENT = { oneOf: [text, { type: 'array', items: PART, minItems: 1, maxItems: MOST_PARTS }] };
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
      description: 'For providers of this style, as it is.',
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

const ASSISTANT = {
  ...message(
    ['assistant'],
    {
      content: nullableContent,
      name: nullable(word),
      refusal: nullable(text),
      tool_calls: { type: 'array', nullable: true, items: TOOL_CALL },
      function_call: nullable(CALLED),
      audio: nullable(object({ id: word })),
      reasoning_content: { ...nullable(text), description: 'Thoughts, as answers have them.' },
      reasoning: { ...nullable(text), description: 'The same, as others call it.' },
      thinking_blocks: { type: 'array', nullable: true, items: THINKING_BLOCK },
    },
    [],
  ),
  anyOf: [
    { properties: { content: CONTENT }, required: ['content'] },
    { properties: { tool_calls: { type: 'array', minItems: 1 } }, required: ['tool_calls'] },
    { properties: { function_call: { type: 'object' } }, required: ['function_call'] },
    { properties: { refusal: word }, required: ['refusal'] },
    { properties: { audio: { type: 'object' } }, required: ['audio'] },
  ],
};

export const MESSAGES = {
  type: 'array',
  minItems: 1,
  maxItems: MOST_MESSAGES,
  items: {
    oneOf: [
      message(['system', 'developer', 'user'], { content: CONTENT, name: nullable(word) }, ['content']),
      ASSISTANT,
      message(['tool'], { content: CONTENT, tool_call_id: word }, ['content', 'tool_call_id']),
      message(['function'], { content: nullableContent, name: word }, ['content', 'name']),
    ],
  },
};
