import fc from 'fast-check';
import { HostedModelError, type GenerationEvent, type GenerationRequest } from '../port.js';
import { checkProviders } from '../providers.js';
import type { Upstream } from '../upstream.js';
import { generateOpenAi } from './index.js';

const KEY = 'sk-very-secret-key-1234567890';
const settings = { style: 'openai', base_url: 'https://acme.example/v1', api_key_env: 'KEY' };
const provider = checkProviders({ providers: { acme: settings } }, { KEY }).get('acme')!;
const STREAM = 'text/event-stream; charset=utf-8';

/** A provider that sends these chunks. */
const sending = (contentType: string, chunks: readonly Uint8Array[]) => {
  async function* body() {
    yield* chunks;
  }
  const seen = { path: '', body: {} as Record<string, unknown> };
  const upstream = {
    post: (path: string, sent: string) => {
      Object.assign(seen, { path, body: JSON.parse(sent) as object });
      return Promise.resolve({ contentType, body: body(), drain: () => undefined });
    },
  } as unknown as Upstream;
  return { upstream, seen };
};
const batchesOf = (
  contentType: string,
  chunks: readonly (string | Uint8Array)[],
  request: Partial<GenerationRequest> = {},
  stream = true,
) => {
  const { upstream } = sending(
    contentType,
    chunks.map((chunk) => Buffer.from(chunk)),
  );
  const asked = { provider, upstream, model: 'm', signal: undefined, stream };
  return Array.fromAsync(generateOpenAi(asked, { messages: [], ...request }));
};
const data = (...values: readonly unknown[]) =>
  values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('');
const delta = (fields: object, finish_reason: string | null = null, index = 0) => ({
  choices: [{ index, delta: fields, finish_reason }],
});
const streamed = async (...values: readonly unknown[]) => (await batchesOf(STREAM, [data(...values, '[DONE]')])).flat();
const whole = async (message: object, more: object = {}, request: Partial<GenerationRequest> = {}) => {
  const text = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop', ...more }] });
  return (await batchesOf('application/json', [text], request, false)).flat();
};
const failure = async (events: Promise<unknown>): Promise<HostedModelError> => {
  const error: unknown = await events.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HostedModelError);
  return error as HostedModelError;
};
const stop = delta({}, 'stop');

describe('a streamed answer in the style of OpenAI', () => {
  test('gives all that a chunk of the wire completes as one batch, and nothing late', async () => {
    const first = data(delta({ role: 'assistant', content: '' }), delta({ content: 'a' }), delta({ content: 'b' }));
    const last = data(delta({ content: 'c' }), stop, { choices: [], usage: USAGE }, '[DONE]');
    expect(await batchesOf(STREAM, [first, ': ping\n\n', last])).toEqual([
      [
        { type: 'text', part: 0, text: 'a' },
        { type: 'text', part: 0, text: 'b' },
      ],
      [
        { type: 'text', part: 0, text: 'c' },
        { type: 'usage', usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 } },
        { type: 'finish', reason: 'stop' },
      ],
    ]);
  });

  test('numbers its parts: thoughts, words, a refusal, and words after calls', async () => {
    const events = await streamed(
      delta({ reasoning_content: 'H', reasoning: 'H' }),
      delta({ reasoning: 'm' }),
      delta({ content: 'Well' }),
      delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'now', arguments: '' } }] }),
      delta({ content: 'then' }),
      delta({ refusal: 'No' }, 'content_filter'),
    );
    expect(events).toEqual([
      { type: 'thinking', part: 0, text: 'H' },
      { type: 'thinking', part: 0, text: 'm' },
      { type: 'text', part: 1, text: 'Well' },
      { type: 'tool-call', part: 2, id: 'c', name: 'now' },
      { type: 'text', part: 3, text: 'then' },
      { type: 'refusal', part: 4, text: 'No' },
      { type: 'finish', reason: 'content_filter' },
    ]);
  });

  test('takes signed thoughts from gateways, whose text comes twice', async () => {
    const events = await streamed(
      delta({ reasoning_content: 'Hm', thinking_blocks: [{ type: 'thinking', thinking: 'Hm' }] }),
      delta({ reasoning_content: '', thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'sig' }] }),
      delta({ thinking_blocks: [{ type: 'redacted_thinking', data: 'opaque' }] }),
      delta({ content: 'Hi' }, 'stop'),
    );
    expect(events).toEqual([
      { type: 'thinking', part: 0, text: 'Hm' },
      { type: 'thinking', part: 0, text: '', signature: 'sig' },
      { type: 'thinking', part: 1, text: '', redacted: true, signature: 'opaque' },
      { type: 'text', part: 2, text: 'Hi' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test('gives parallel calls, whose pieces come in turn', async () => {
    const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });
    const events = await streamed(
      call(0, { id: 'a', type: 'function', function: { name: 'add', arguments: '' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'sub', arguments: '{"x"' } }),
      call(0, { function: { arguments: '{"y":1}' } }),
      // Some repeat the id and the name.
      call(1, { id: 'b', function: { name: 'sub', arguments: ':2}' } }),
      delta({}, 'tool_calls'),
    );
    expect(events).toEqual([
      { type: 'tool-call', part: 0, id: 'a', name: 'add' },
      { type: 'tool-call', part: 1, id: 'b', name: 'sub' },
      { type: 'tool-input', part: 1, json: '{"x"' },
      { type: 'tool-input', part: 0, json: '{"y":1}' },
      { type: 'tool-input', part: 1, json: ':2}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('understands calls that are numbered alike, not at all, or named late', async () => {
    const called = (entries: readonly object[]) => delta({ tool_calls: entries });
    const events = await streamed(
      called([{ index: 0, id: 'a', function: { name: 'add', arguments: { x: 1 } } }]),
      called([{ index: 0, id: 'b', function: { name: 'add', arguments: '{}' } }]),
      called([{ function: { name: 'sub', arguments: '{' } }]),
      called([{ function: { arguments: '}' } }]),
      called([{ index: 7, id: 'd', function: { arguments: '{"z"' } }]),
      called([{ index: 7, function: { name: 'mul', arguments: ':1}' } }]),
      stop,
    );
    const id = expect.stringMatching(/^call_[\w-]{36}$/) as string;
    expect(events).toEqual([
      { type: 'tool-call', part: 0, id: 'a', name: 'add' },
      { type: 'tool-input', part: 0, json: '{"x":1}' },
      { type: 'tool-call', part: 1, id: 'b', name: 'add' },
      { type: 'tool-input', part: 1, json: '{}' },
      { type: 'tool-call', part: 2, id, name: 'sub' },
      { type: 'tool-input', part: 2, json: '{' },
      { type: 'tool-input', part: 2, json: '}' },
      { type: 'tool-call', part: 3, id: 'd', name: 'mul' },
      { type: 'tool-input', part: 3, json: '{"z":1}' },
      // A call that was forced ends with `stop` at some.
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('gives the call of the style before tools without an id', async () => {
    const events = await streamed(
      delta({ function_call: { name: 'now', arguments: '' } }),
      delta({ function_call: { arguments: '{}' } }, 'function_call'),
    );
    expect(events).toEqual([
      { type: 'tool-call', part: 0, id: '', name: 'now' },
      { type: 'tool-input', part: 0, json: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('has choices, each with its own parts and end', async () => {
    const events = await streamed(
      delta({ content: 'a' }, null, 1),
      delta({ content: 'b' }),
      delta({}, 'length', 1),
      delta({ content: 'c' }, 'stop'),
    );
    expect(events).toEqual([
      { type: 'text', part: 0, text: 'a', choice: 1 },
      { type: 'text', part: 0, text: 'b' },
      { type: 'text', part: 0, text: 'c' },
      { type: 'finish', reason: 'stop' },
      { type: 'finish', reason: 'length', choice: 1 },
    ]);
  });

  test('has log probabilities beside what they are of', async () => {
    const row = { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };
    const said = (fields: object, logprobs: object) => ({ choices: [{ index: 0, delta: fields, logprobs }] });
    const events = await streamed(
      said({ content: 'a' }, { content: [row], refusal: null }),
      said({ refusal: 'b' }, { content: null, refusal: [row] }),
      // A token of no text.
      said({ content: '' }, { content: [row] }),
      stop,
    );
    expect(events.slice(0, 3)).toEqual([
      { type: 'text', part: 0, text: 'a', logprobs: [row] },
      { type: 'refusal', part: 1, text: 'b', logprobs: [row] },
      { type: 'text', part: 2, text: '', logprobs: [row] },
    ]);
  });

  test('gives what only callers of its style know as it came, and details once', async () => {
    const custom = { index: 0, id: 'c', type: 'custom', custom: { name: 'sql', input: '' } };
    const more = { index: 0, custom: { input: 'select' } };
    const head = { system_fingerprint: 'fp', service_tier: null, id: 'x', object: 'y', created: 1, model: 'z' };
    const events = await streamed(
      { ...head, ...delta({ content: 'a', audio: { id: 'au' } }) },
      { ...head, ...delta({ content: 'b', audio: { data: 'AA' } }), obfuscation: 'xyz' },
      { ...head, ...delta({ tool_calls: [custom] }), service_tier: 'flex' },
      { ...head, ...delta({ tool_calls: [more], annotations: [] }) },
      stop,
    );
    expect(events).toEqual([
      { type: 'text', part: 0, text: 'a' },
      { type: 'foreign', style: 'openai', part: 1, value: { audio: { id: 'au' } }, isDelta: false },
      { type: 'details', style: 'openai', fields: { system_fingerprint: 'fp' } },
      { type: 'text', part: 0, text: 'b' },
      { type: 'foreign', style: 'openai', part: 1, value: { audio: { data: 'AA' } }, isDelta: true },
      { type: 'foreign', style: 'openai', part: 2, value: { tool_calls: [custom] }, isDelta: false },
      { type: 'details', style: 'openai', fields: { service_tier: 'flex' } },
      { type: 'foreign', style: 'openai', part: 2, value: { tool_calls: [more] }, isDelta: true },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['eos', 'stop'],
    ['__proto__', 'stop'],
  ])('that ends with %s ends with %s', async (said, reason) => {
    expect(await streamed(delta({}, said))).toEqual([{ type: 'finish', reason }]);
  });

  test('may name the stop sequence that it met', async () => {
    const met = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: '\n' }] };
    expect(await streamed(met)).toEqual([{ type: 'finish', reason: 'stop_sequence', stopSequence: '\n' }]);
  });

  test('means the same wherever it is cut', async () => {
    const bytes = Buffer.from(
      data(
        delta({ content: 'Grüße 😀\u2028' }),
        delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'now', arguments: '{"a":"é"}' } }] }),
        delta({}, 'tool_calls'),
        { choices: [], usage: USAGE },
        '[DONE]',
      ).replaceAll('\n\n', '\r\n\r\n'),
    );
    const uncut = (await batchesOf(STREAM, [bytes])).flat();
    expect(uncut).toHaveLength(5);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect((await batchesOf(STREAM, chunks)).flat()).toEqual(uncut);
      }),
    );
  });
});

describe('chunks that are alike', () => {
  const word = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', '"}', '","content":"'),
  );
  /** Read as if each were the only one of its kind: chunks of other spelling are never alike. */
  const apart = (values: readonly unknown[]) =>
    streamed(...values.map((value, n) => ({ n: `${n}`, ...(value as object) })));
  const plain = (events: readonly GenerationEvent[]) => events.filter(({ type }) => type !== 'details');

  test('mean what each of them means', async () => {
    const chunk = fc.oneof(
      { weight: 4, arbitrary: word.map((content) => delta({ content })) },
      word.map((content) => delta({ content }, null, 1)),
      word.map((content) => ({
        choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content }] } }],
      })),
      word.map((content) => delta({ content, audio: { content } })),
      word.map((content) => ({ extra: { content }, ...delta({ content }) })),
      word.map((reasoning_content) => delta({ reasoning_content })),
      word.map((input) => delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: input } }] })),
      fc.constant({ ...delta({ content: 'x' }), usage: USAGE }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 20 }), async (chunks) => {
        const values = [...chunks, stop, delta({}, 'stop', 1)];
        expect(plain(await streamed(...values))).toEqual(plain(await apart(values)));
      }),
      { numRuns: 200 },
    );
  });

  test('are not mistaken: what differs may stand elsewhere', async () => {
    const beside = (content: string) => ({ choices: [{ index: 0, filter: { content }, delta: { content: 'x' } }] });
    const events = await streamed(beside('x'), beside('y'), delta({ content: 'a' }), stop);
    expect(events.flatMap((event) => ('text' in event ? [event.text] : []))).toEqual(['x', 'x', 'a']);
  });

  test('are JSON all the same: what is not is an error', async () => {
    const broken = JSON.stringify(delta({ content: 'b' })).replace('"b"', '"\u0001"');
    const events = streamed(delta({ content: 'a' }), broken, stop);
    expect((await failure(events)).message).toMatch(/not JSON/);
  });
});

describe('a whole answer in the style of OpenAI', () => {
  test('has thoughts first, whatever the order of its fields', async () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'now', arguments: '{}' } });
    const events = await whole({
      ...{ role: 'assistant', content: 'Hi', refusal: null, annotations: [], tool_calls: [call('a'), call('b')] },
      reasoning_content: 'Hm',
    });
    expect(events).toEqual([
      { type: 'thinking', part: 0, text: 'Hm' },
      { type: 'text', part: 1, text: 'Hi' },
      { type: 'tool-call', part: 2, id: 'a', name: 'now' },
      { type: 'tool-input', part: 2, json: '{}' },
      { type: 'tool-call', part: 3, id: 'b', name: 'now' },
      { type: 'tool-input', part: 3, json: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('may have its content in parts', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Hi' },
    ];
    expect(await whole({ content })).toEqual([
      { type: 'thinking', part: 0, text: 'Hm' },
      { type: 'text', part: 1, text: 'Hi' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test('is one batch, also when it is streamed for all that', async () => {
    const chunks = [data(delta({ content: 'a' })), data(delta({ content: 'b' }), stop), data('[DONE]')];
    const batches = await batchesOf(STREAM, chunks, {}, false);
    expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([['text', 'text', 'finish']]);
  });

  test('is taken where a stream was asked for', async () => {
    const answer = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
    const batches = await batchesOf('application/json', [answer.slice(0, 9), answer.slice(9)]);
    expect(batches).toEqual([
      [
        { type: 'text', part: 0, text: 'Hi' },
        { type: 'finish', reason: 'stop' },
      ],
    ]);
  });
});

describe('a continued text', () => {
  const prompts = ['Once', 'Twice'];

  test('has choices through the prompts, and its log probabilities in rows', async () => {
    const logprobs = {
      tokens: ['Once', ' more'],
      token_logprobs: [null, -0.5],
      top_logprobs: [null, { ' more': -0.5, ' a': -1 }],
      text_offset: [0, 4],
    };
    const choices = [
      { index: 0, text: 'Once more', logprobs, finish_reason: 'length' },
      { index: 1, text: 'nice', logprobs: null, finish_reason: 'stop' },
    ];
    const answer = JSON.stringify({ choices, usage: USAGE, system_fingerprint: 'fp' });
    expect((await batchesOf('application/json', [answer], { prompts }, false)).flat()).toEqual([
      {
        ...{ type: 'text', part: 0, text: 'Once more' },
        logprobs: [
          { token: 'Once', logprob: null, bytes: null, top_logprobs: [] },
          {
            ...{ token: ' more', logprob: -0.5, bytes: null },
            top_logprobs: [
              { token: ' more', logprob: -0.5, bytes: null },
              { token: ' a', logprob: -1, bytes: null },
            ],
          },
        ],
      },
      { type: 'text', part: 0, text: 'nice', choice: 1 },
      expect.objectContaining({ type: 'usage' }),
      { type: 'details', style: 'openai-completions', fields: { system_fingerprint: 'fp' } },
      { type: 'finish', reason: 'length' },
      { type: 'finish', reason: 'stop', choice: 1 },
    ]);
  });

  test('is no chat completion', async () => {
    const answer = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] });
    expect((await failure(batchesOf('application/json', [answer], { prompts }))).kind).toBe('unavailable');
  });
});

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

describe('usage in the style of OpenAI', () => {
  const usage = async (more: object): Promise<GenerationEvent | undefined> =>
    (await streamed(stop, { choices: [], usage: { ...USAGE, ...more } })).find(({ type }) => type === 'usage');

  test.each([
    [{ prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } }, [3, 5, 4, 3]],
    [{ prompt_cache_hit_tokens: 4 }, [6, 5, 4, 0]],
    [{ cache_read_input_tokens: 4, cache_creation_input_tokens: 2 }, [4, 5, 4, 2]],
    // Nonsense never makes more of one than there is of all.
    [{ prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: -3 } }, [0, 5, 10, 0]],
    [{ prompt_tokens: 1e99, completion_tokens: -4.5, prompt_tokens_details: [] }, [1e9, 0, 0, 0]],
  ])('%j', async (more, [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]) => {
    expect(await usage(more)).toEqual({
      type: 'usage',
      usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
    });
  });

  test('counts thoughts among the output, also where the provider counts them beside it', async () => {
    const thought = { completion_tokens_details: { reasoning_tokens: 4 } };
    expect(await usage(thought)).toMatchObject({ usage: { outputTokens: 5, thinkingTokens: 4 } });
    expect(await usage({ ...thought, total_tokens: 19 })).toMatchObject({
      usage: { outputTokens: 9, thinkingTokens: 4 },
    });
  });
});

describe('a provider that fails in the style of OpenAI', () => {
  test.each([
    ['says so in the middle', { message: 'boom' }, 'unavailable'],
    ['says so in a word', 'boom', 'unavailable'],
    ['is overloaded', { message: 'x', type: 'overloaded_error' }, 'saturated'],
    ['has a limit', { message: 'x', code: 429 }, 'saturated'],
    ['was too slow', { message: 'x', code: 'timeout' }, 'timeout'],
    ['refuses the request after all', { message: `bad: ${KEY}`, type: 'invalid_request_error' }, 'rejected'],
    ['does not let us in', { message: 'Incorrect key', code: 401 }, 'unavailable'],
  ])('that %s', async (_, error, kind) => {
    const failed = await failure(batchesOf(STREAM, [data(delta({ content: 'a' })), data({ error })]));
    expect(failed.kind).toBe(kind);
    expect(failed.message).not.toContain(KEY);
    expect(failed.message).not.toContain('Incorrect key');
  });

  test.each([
    ['no JSON', '{"choi'],
    ['a list', []],
    ['nothing known', { hello: 1 }],
    ['choices that are none', { choices: [null] }],
    ['a choice of no number', delta({ content: 'a' }, null, -1)],
    ['a choice of a huge number', delta({ content: 'a' }, null, 1e9)],
    ['a delta that is none', { choices: [{ delta: 'a' }] }],
    ['content of another type', delta({ content: 5 })],
    ['calls that are none', delta({ tool_calls: ['x'] })],
    ['an end that says it failed', delta({}, 'error')],
  ])('that sends %s makes no sense', async (_, value) => {
    expect((await failure(streamed(delta({ content: 'a' }), value, stop))).kind).toBe('unavailable');
  });

  test('that begins a call of no tool, or ends without an end, makes no sense', async () => {
    const call = delta({ tool_calls: [{ index: 0, id: 'c', function: { arguments: '{}' } }] });
    expect((await failure(streamed(call, stop))).kind).toBe('unavailable');
    expect((await failure(streamed(delta({ content: 'a' })))).message).toMatch(/broke off/);
    expect(
      (await failure(streamed(delta({ content: 'a' }, 'stop'), delta({ content: 'b' }, null, 2)))).message,
    ).toMatch(/broke off/);
    expect((await failure(batchesOf(STREAM, []))).message).toMatch(/broke off/);
  });

  test('whatever it sends, there are events or a HostedModelError', async () => {
    const entry = fc.record(
      {
        index: fc.oneof(fc.nat(3), fc.jsonValue()),
        delta: fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              content: fc.jsonValue(),
              tool_calls: fc.array(fc.record({ index: fc.jsonValue(), id: fc.jsonValue(), function: fc.jsonValue() })),
              thinking_blocks: fc.jsonValue(),
              function_call: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
        logprobs: fc.jsonValue(),
        finish_reason: fc.oneof(fc.constant('stop'), fc.jsonValue()),
        text: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const value = fc.record(
      { choices: fc.oneof(fc.array(entry), fc.jsonValue()), usage: fc.jsonValue(), error: fc.constant(null) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value), fc.boolean(), async (values, isText) => {
        const events = batchesOf(STREAM, [data(...values, '[DONE]')], isText ? { prompts: ['x'] } : {});
        await events.then(
          (batches) => {
            const given = batches.flat();
            expect(given.at(-1)?.type).toBe('finish');
            for (const event of given) {
              if ('text' in event) expect(typeof event.text).toBe('string');
              if ('json' in event) expect(typeof event.json).toBe('string');
            }
          },
          (error: unknown) => expect(error).toBeInstanceOf(HostedModelError),
        );
      }),
      { numRuns: 200 },
    );
  });
});
