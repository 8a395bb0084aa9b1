import { delta, stop, streamed, whole } from '#test/support/openai-answers.js';

const page = (name: string) => `https://example.com/${name}`;
const annotated = (part: number, ...annotations: object[]) => ({
  ...{ type: 'foreign', style: 'openai', part, isDelta: true },
  value: { annotations: annotations.map((each) => ({ type: 'url_citation', url_citation: each })) },
});
const cited = (name: string, title: string, start_index: number, end_index: number) => ({
  ...{ url: page(name), title, start_index, end_index },
});

describe('sources beside the choices of an answer', () => {
  const sources = {
    citations: [page('a'), page('b')],
    search_results: [
      { title: 'A', url: page('a'), date: '2026-01-01' },
      { title: 'B', url: page('b') },
    ],
  };

  it('become annotations where the text names them, else of all of it', async () => {
    const text = 'Open.[1] Yes![1][9]';
    const events = await whole({ content: text }, {});
    expect(events.some(({ type }) => type === 'foreign')).toBe(false);
    const chunks = [
      { ...delta({ content: 'Open.' }), ...sources },
      { ...delta({ content: '[1] Yes!' }), ...sources },
      delta({ content: '[1][9]' }),
      { ...stop, ...sources },
    ];
    const found = (await streamed(...chunks)).filter(({ type }) => type === 'foreign');
    expect(found).toEqual([
      annotated(0, cited('a', 'A', 5, 8), cited('a', 'A', 13, 16), cited('b', 'B', 0, text.length)),
    ]);
  });

  it('are of the text, before the answer ends, whatever comes after it', async () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } };
    const events = await streamed(
      delta({ reasoning_content: 'Hm' }),
      delta({ content: 'Hi' }),
      { ...delta({ tool_calls: [call] }), search_results: [{ url: page('a') }, { url: 5 }, 'no'] },
      delta({}, 'tool_calls'),
    );
    expect(events.slice(-2)).toEqual([
      annotated(1, cited('a', page('a'), 0, 2), { ...cited('no', 'no', 0, 2), url: 'no' }),
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  it('are left to a provider that annotates texts itself', async () => {
    const own = [{ type: 'url_citation', url_citation: cited('c', 'C', 0, 2) }];
    const events = await streamed({ ...delta({ content: 'Hi' }), ...sources }, delta({ annotations: own }), stop);
    expect(events.filter(({ type }) => type === 'foreign')).toEqual([annotated(0, cited('c', 'C', 0, 2))]);
  });

  it('of no text are nothing, and annotations before the text are of it', async () => {
    const value = { annotations: [{ type: 'url_citation', url_citation: cited('c', 'C', 0, 2) }] };
    expect(await streamed({ ...delta({ refusal: 'No' }), ...sources }, stop)).toMatchObject([
      ...[{ type: 'refusal' }, { type: 'details' }, { type: 'finish' }],
    ]);
    expect(await streamed(delta(value), delta({ content: 'Hi' }), stop)).toMatchObject([
      ...[{ type: 'text', part: 0 }, { type: 'foreign', part: 0, value }, { type: 'finish' }],
    ]);
    expect(await streamed(delta(value), stop)).toMatchObject([{ type: 'foreign', value }, { type: 'finish' }]);
  });
});
