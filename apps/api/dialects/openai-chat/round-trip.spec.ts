import fc from 'fast-check';
import type { JsonObject } from '#domain/json.js';
import { Dropped } from '#calls/hosted/dropped.js';
import { requestFor } from '#calls/hosted/openai/request.js';
import { checkProviders } from '#calls/hosted/providers.js';
import { decodeCompletion } from '../openai-completions/decode.js';
import { decodeChat } from './decode.js';

const settings = {
  ...{ style: 'openai', base_url: 'https://acme.example/v1', cache_control: 'forward', allow_url_schemes: ['http'] },
};
const provider = checkProviders({ providers: { acme: settings } }, {}).get('acme')!;

const sent = ({ generation }: ReturnType<typeof decodeChat> | ReturnType<typeof decodeCompletion>): JsonObject => {
  const { verbatim, ...request } = generation;
  // The fields made here exclude those that only a provider of this style carries.
  expect(verbatim!.only).toBeUndefined();
  return JSON.parse(
    requestFor(provider, 'm', request, { stream: false, dropped: new Dropped(true) }).body as string,
  ) as JsonObject;
};

const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) =>
  fc.record(fields, { requiredKeys: [] });
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });
const word = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed());
const base64 = fc.base64String({ minLength: 4 });
const marker = optional({ cache_control: fc.constant({ type: 'ephemeral' }) });
const marked = (part: fc.Arbitrary<object>) => fc.tuple(part, marker).map(([fields, mark]) => ({ ...fields, ...mark }));

const textPart = marked(word.map((text) => ({ type: 'text', text })));
const image = fc.oneof(
  fc.webUrl(),
  base64.map((data) => `data:image/png;base64,${data}`),
);
const userPart = fc.oneof(
  textPart,
  marked(
    fc
      .tuple(image, optional({ detail: fc.constantFrom('low', 'high', 'auto') }))
      .map(([url, detail]) => ({ type: 'image_url', image_url: { url, ...detail } })),
  ),
  marked(base64.map((data) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } }))),
  marked(
    fc.tuple(word, base64).map(([filename, data]) => ({
      type: 'file',
      file: { filename, file_data: `data:application/pdf;base64,${data}` },
    })),
  ),
);
/** A text alone, or parts; a single text without a marker is written as a text. */
const contentOf = (part: fc.Arbitrary<object>) =>
  fc.oneof(
    word,
    fc.tuple(part, part, fc.array(part, { maxLength: 2 })).map(([a, b, more]) => [a, b, ...more]),
  );
const named = optional({ name: word.filter((name) => /^[^\s<|\\/>]{1,64}$/.test(name)) });
const calls = list(
  marked(
    fc.tuple(word, word, fc.oneof(fc.constant('{}'), fc.json())).map(([id, name, input]) => ({
      ...{ id, type: 'function', function: { name, arguments: input } },
    })),
  ),
);
const thoughts = optional({ reasoning_content: word });
const message = fc.oneof(
  fc.tuple(contentOf(textPart), named).map(([content, name]) => ({ role: 'system', content, ...name })),
  fc.tuple(contentOf(userPart), named).map(([content, name]) => ({ role: 'user', content, ...name })),
  fc.tuple(contentOf(textPart), thoughts).map(([content, thought]) => ({ role: 'assistant', content, ...thought })),
  fc.tuple(word, calls, thoughts).map(([content, tool_calls, thought]) => ({
    ...{ role: 'assistant', content, tool_calls },
    ...thought,
  })),
  calls.map((tool_calls) => ({ role: 'assistant', content: null, tool_calls })),
  fc.tuple(word, contentOf(textPart)).map(([tool_call_id, content]) => ({ role: 'tool', tool_call_id, content })),
);
const schema = fc.constantFrom({ type: 'object' }, { properties: { cache_control: { type: 'string' } } });
const described = optional({ description: word, strict: fc.boolean() });
const tool = marked(
  fc.tuple(word, schema, described).map(([name, parameters, more]) => ({
    type: 'function',
    function: { name, parameters, ...more },
  })),
);
const sampling = {
  temperature: fc.double({ min: 0, max: 2, noNaN: true }).map((number) => number + 0),
  top_p: fc.double({ min: 0.01, max: 1, noNaN: true }),
  seed: fc.maxSafeInteger().map((number) => number + 0),
  n: fc.integer({ min: 2, max: 8 }),
  stop: list(word),
  frequency_penalty: fc.integer({ min: -2, max: 2 }),
  presence_penalty: fc.integer({ min: -2, max: 2 }),
  logit_bias: fc.dictionary(fc.nat(50_000).map(String), fc.integer({ min: -100, max: 100 }), { minKeys: 1 }),
  max_tokens: fc.integer({ min: 1, max: 1e6 }),
  user: word,
  // Without names of its own: one that begins with `aws` would be refused.
  provider_magic: fc.array(fc.jsonValue({ maxDepth: 0 })),
};
const withTools = fc.record(
  {
    parallel_tool_calls: fc.boolean(),
    tools: list(tool),
    tool_choice: fc.oneof(
      fc.constantFrom('auto', 'none', 'required'),
      word.map((name) => ({ type: 'function', function: { name } })),
    ),
  },
  { requiredKeys: ['tools'] },
);
const chat = fc
  .tuple(
    optional({
      ...sampling,
      reasoning_effort: fc.constantFrom('minimal', 'low', 'medium', 'high'),
      response_format: fc.oneof(
        fc.constant({ type: 'json_object' }),
        fc.tuple(word, schema, described).map(([name, form, more]) => ({
          type: 'json_schema',
          json_schema: { name, schema: form, ...more },
        })),
      ),
    }),
    fc.constantFrom({}, { logprobs: true }, { logprobs: true, top_logprobs: 5 }),
    fc.oneof(fc.constant({}), withTools),
  )
  .map(([fields, logprobs, tools]) => ({ ...fields, ...logprobs, ...tools }));

describe("a request in OpenAI's format and the one that such a provider receives", () => {
  it('are equal after translation: chats', () => {
    fc.assert(
      fc.property(list(message), chat, (messages, fields) => {
        const body = { model: 'm', messages, ...fields };
        expect(sent(decodeChat(body))).toEqual(JSON.parse(JSON.stringify(body)));
      }),
      { numRuns: 300 },
    );
  });

  it('are equal after translation: text completions', () => {
    const fields = optional({ ...sampling, logprobs: fc.integer({ min: 0, max: 5 }) });
    const prompt = fc.oneof(word, fc.tuple(word, word));
    fc.assert(
      fc.property(prompt, fields, fc.boolean(), (asked, more, hasBest) => {
        const body = { model: 'm', prompt: asked, ...more, ...(hasBest && { best_of: 20 }) };
        expect(sent(decodeCompletion(body))).toEqual(JSON.parse(JSON.stringify(body)));
      }),
    );
  });
});
