import fc from 'fast-check';
import { delta, stop, streamed, USAGE } from '#test/support/openai-answers.js';
import type { GenerationEvent } from './port.js';

describe('chunks of the same shape', () => {
  const word = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', '"}', '","content":"'),
  );
  /** Read as if each were the only one of its kind: chunks of other spelling are never alike. */
  const apart = (values: readonly unknown[]) =>
    streamed(...values.map((value, n) => ({ n: `${n}`, ...(value as object) })));
  const plain = (events: readonly GenerationEvent[]) => events.filter(({ type }) => type !== 'details');

  it('give the same events as when parsed separately', async () => {
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

  it('keep their text if another field differs', async () => {
    const beside = (content: string) => ({ choices: [{ index: 0, filter: { content }, delta: { content: 'x' } }] });
    const events = await streamed(beside('x'), beside('y'), delta({ content: 'a' }), stop);
    expect(events.flatMap((event) => ('text' in event ? [event.text] : []))).toEqual(['x', 'x', 'a']);
  });
});
