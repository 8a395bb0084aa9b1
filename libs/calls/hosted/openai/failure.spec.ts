import fc from 'fast-check';
import {
  answersOf,
  batchesOf,
  data,
  delta,
  failure,
  KEY,
  stop,
  STREAM,
  streamed,
  whole,
} from '#test/support/openai-answers.js';
import { HostedModelError } from '../port.js';

describe('a failing provider of style openai', () => {
  it.each([
    ['reports an error midway', { message: 'boom' }, 'unavailable'],
    ['reports an error as a string', 'boom', 'unavailable'],
    ['is overloaded', { message: 'x', type: 'overloaded_error' }, 'saturated'],
    ['has a limit', { message: 'x', code: 429 }, 'saturated'],
    ['was too slow', { message: 'x', code: 'timeout' }, 'timeout'],
    ['refuses the request after all', { message: `bad: ${KEY}`, type: 'invalid_request_error' }, 'rejected'],
    ['does not let us in', { message: 'Incorrect key', code: 401 }, 'unavailable'],
    [
      'knows no such key',
      { message: 'Incorrect key', type: 'invalid_request_error', code: 'invalid_api_key' },
      'unavailable',
    ],
    ['knows no such model', { message: 'none', type: 'invalid_request_error', code: 'model_not_found' }, 'unavailable'],
  ])('that %s', async (_, error, kind) => {
    const failed = await failure(batchesOf(STREAM, [data(delta({ content: 'a' })), data({ error })]));
    expect(failed.kind).toBe(kind);
    expect(failed.message).not.toContain(KEY);
    expect(failed.message).not.toContain('Incorrect key');
  });

  it('gives the events before its failure, also those of the same chunk', async () => {
    const answer = answersOf(STREAM, [data(delta({ content: 'a' }), { error: 'boom' }, delta({ content: 'b' }))]);
    expect(await answer.next()).toEqual({ done: false, value: [{ type: 'text', part: 0, text: 'a' }] });
    expect((await failure(answer.next())).kind).toBe('unavailable');
  });

  it.each([
    ['a finish that reports a failure', delta({}, 'error')],
    ['an answer that was aborted', delta({}, 'abort')],
  ])('that sends %s is malformed', async (_, value) => {
    expect((await failure(streamed(delta({ content: 'a' }), value, stop))).kind).toBe('unavailable');
  });

  it('that ends without a finish is malformed', async () => {
    expect((await failure(batchesOf(STREAM, [data(delta({ content: 'a' }))]))).message).toMatch(/broke off/);
    expect(
      (await failure(batchesOf(STREAM, [data(delta({ content: 'a' }, 'stop'), delta({ content: 'b' }, null, 2))])))
        .message,
    ).toMatch(/broke off/);
    expect((await failure(batchesOf(STREAM, []))).message).toMatch(/broke off/);
  });

  it.each([
    ['no JSON', '{"choi'],
    ['a control character', JSON.stringify(delta({ content: 'x' })).replace('"x"', '"\u0001"')],
    ['a list', []],
    ['nothing known', { hello: 1 }],
  ])('that sends %s among the events of its stream is understood without it', async (_, value) => {
    expect(await streamed(delta({ content: 'a' }), value, delta({ content: 'b' }), stop)).toEqual([
      { type: 'text', part: 0, text: 'a' },
      { type: 'text', part: 0, text: 'b' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it.each([undefined, null, ''])(
    'that gives %p as its finish reason has stopped, if nothing is missing',
    async (none) => {
      const choice = { index: 0, finish_reason: none };
      const end = { type: 'finish', reason: 'stop' };
      const said = JSON.stringify({ choices: [{ ...choice, message: { content: 'a' } }] });
      expect((await batchesOf('application/json', [said], {}, false)).flat().at(-1)).toEqual(end);
      expect((await streamed({ choices: [{ ...choice, delta: { content: 'a' } }] })).at(-1)).toEqual(end);
      const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
      expect((await streamed({ choices: [{ ...choice, delta: { tool_calls: [call] } }] })).at(-1)).toEqual({
        ...{ type: 'finish', reason: 'tool_calls' },
      });
    },
  );

  it('that sends excessive values is understood, or refused as malformed', async () => {
    const calls = Array.from({ length: 200_000 }, (_, n) => ({
      id: `c${n}`,
      function: { name: 'f', arguments: '{}' },
    }));
    expect(await whole({ tool_calls: calls })).toHaveLength(400_001);
    const many = delta({ content: Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' })) }, 'stop');
    for (const isStreamed of [true, false])
      expect((await batchesOf(STREAM, [data(many, '[DONE]')], {}, isStreamed)).flat()).toHaveLength(200_001);
    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
    const failed = await failure(batchesOf(STREAM, [data(`{"error": {"code": 400, "deep": ${deep}}}`)]));
    expect(failed.kind).toBe('unavailable');
  });

  it('yields events or a HostedModelError, whatever it sends', async () => {
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
