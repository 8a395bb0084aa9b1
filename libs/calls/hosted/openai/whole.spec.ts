import { batchesOf, data, delta, failure, stop, STREAM, streamed, USAGE, whole } from '#test/support/openai-answers.js';
import type { GenerationEvent } from '../port.js';

describe('a whole answer in the style of OpenAI', () => {
  it('has thinking first, in any order of its fields', async () => {
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

  it('may have its content in parts', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Hi' },
      { type: 'reference', ids: [1] },
    ];
    expect(await whole({ content })).toEqual([
      { type: 'thinking', part: 0, text: 'Hm' },
      { type: 'text', part: 1, text: 'Hi' },
      { type: 'foreign', style: 'openai', part: 2, value: { content: [content[2]] }, isDelta: false },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('is one batch, even if it is streamed anyway', async () => {
    const chunks = [data(delta({ content: 'a' })), data(delta({ content: 'b' }), stop), data('[DONE]')];
    const batches = await batchesOf(STREAM, chunks, {}, false);
    expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([['text', 'text', 'finish']]);
  });

  it('is accepted for a requested stream', async () => {
    const answer = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
    const batches = await batchesOf('application/json', [answer.slice(0, 9), answer.slice(9)]);
    expect(batches).toEqual([
      [
        { type: 'text', part: 0, text: 'Hi' },
        { type: 'finish', reason: 'stop' },
      ],
    ]);
  });

  it.each(['text/plain', 'application/json', ''])(
    'may be a stream that is named %j, or begin with a byte order mark',
    async (type) => {
      const chunks = ['\n', ': waiting\n\n', data(delta({ content: 'Hi' })), data(stop), data('[DONE]')];
      // Each piece is a batch of its own: none waits for the end.
      expect(await batchesOf(type, chunks)).toMatchObject([[{ text: 'Hi' }], [{ reason: 'stop' }]]);
      expect(await batchesOf(type, chunks, {}, false)).toMatchObject([[{ text: 'Hi' }, { reason: 'stop' }]]);
      const answer = JSON.stringify({ choices: [{ index: null, message: { content: 'Hi' }, finish_reason: 'stop' }] });
      expect((await batchesOf(type, [`\uFEFF${answer}`])).flat()).toMatchObject([{ text: 'Hi' }, { reason: 'stop' }]);
    },
  );
});

describe('a text completion', () => {
  const prompts = ['Once', 'Twice'];

  it('numbers choices across prompts, with log probabilities in rows', async () => {
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

  it('is not accepted as a chat completion', async () => {
    const answer = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] });
    expect((await failure(batchesOf('application/json', [answer], { prompts }))).kind).toBe('unavailable');
  });
});

describe('usage in the style of OpenAI', () => {
  const usage = async (more: object): Promise<GenerationEvent | undefined> =>
    (await streamed(stop, { choices: [], usage: { ...USAGE, ...more } })).find(({ type }) => type === 'usage');

  it.each([
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

  it('counts thinking as output, even if the provider counts it separately', async () => {
    const thought = { completion_tokens_details: { reasoning_tokens: 4 } };
    expect(await usage(thought)).toMatchObject({ usage: { outputTokens: 5, thinkingTokens: 4 } });
    expect(await usage({ ...thought, total_tokens: 19 })).toMatchObject({
      usage: { outputTokens: 9, thinkingTokens: 4 },
    });
  });
});
