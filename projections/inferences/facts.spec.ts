import type { Json } from '#domain/json.js';
import { answerFacts, confusions, labelIn } from './facts.js';

const labels = (output: Json, task = 'schema') => answerFacts(task, output).labels?.trim().split('\n') ?? [];
const hit = (text: string, start: number) => ({ text, start, end: start + text.length, confidence: 0.9 });

describe('the labels of an answer', () => {
  it.each<[string, Json, readonly string[]]>([
    ['entities with a hit', { entities: { person: [hit('Ada', 0)], city: [], date: null } }, ['person']],
    [
      'entities without spans, and one for each label',
      { entities: { person: ['Ada'], city: 'Rome' } },
      ['city', 'person'],
    ],
    ['unformatted entities', { entities: [{ person: ['Ada'] }] }, ['person']],
    ['a class', { tone: { label: 'angry', confidence: 0.7 } }, ['angry']],
    ['classes as texts, and as pairs', { tone: ['angry', 'sad'], topic: ['refund', 0.4] }, ['angry', 'refund', 'sad']],
    [
      'structures and relations',
      { order: [{ id: '1' }], relation_extraction: { owns: [['a', 'b']] } },
      ['order', 'owns'],
    ],
    ['every answer of a batch', [{ entities: { person: ['Ada'] } }, { tone: 'sad' }], ['person', 'sad']],
    ['nothing of an answer that failed', null, []],
  ])('include %s', (_, output, expected) => {
    expect(labels(output)).toEqual(expected);
  });

  it('are matched whole, whatever characters they contain', () => {
    const odd = 'a\nb\t"c"';
    const known = answerFacts('schema', { tone: [odd, 'sad'] }).labels!;
    expect(['sad', odd, 'sa', 'a', 'b'].map((label) => known.includes(labelIn(label)!))).toEqual([
      ...[true, true, false, false, false],
    ]);
  });

  it.each([998, 999])(
    'have room for a label of 998 characters, and nothing is sought for a longer one: %d',
    (length) => {
      const label = 'x'.repeat(length);
      const known = answerFacts('schema', { tone: label }).labels;
      expect([known === null, labelIn(label) === null]).toEqual([length > 998, length > 998]);
    },
  );

  it('come with the lowest confidence, and are absent for generated texts', () => {
    const output = { entities: { person: [hit('Ada', 0)] }, tone: { label: 'sad', confidence: 0.4 } };
    expect(answerFacts('schema', output).confidence).toBe(0.4);
    expect(answerFacts('schema', { entities: { person: ['Ada'] } }).confidence).toBeNull();
    expect(answerFacts('generate', { completion: 'sad' })).toEqual({ labels: null, confidence: null });
  });

  it('are compared with a correction place by place, only in corrected heads', () => {
    const output = { entities: { person: [hit('Ada', 0), hit('Rome', 9)] }, tone: { label: 'sad', confidence: 0.4 } };
    const corrected = { entities: { person: [hit('Ada', 0)], city: ['Rome', hit('Oslo', 20)] } };
    const pairs = (verdict: string) => confusions(verdict, output, corrected)?.trim().split('\n');
    expect(pairs('incorrect')).toEqual(['person\tperson', 'person\tcity', '\tcity']);
    expect(pairs('correct')).toEqual(['person\tperson', 'person\tperson', 'sad\tsad']);
    expect(pairs('unsure')).toBeUndefined();
  });
});
