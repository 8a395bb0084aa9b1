import type { AnswerMapping } from '#distillation/mapping/mapping.js';
import { proposeMapping } from '#distillation/mapping/propose.js';
import { callAsRow } from './call-as-row.js';

const NAMED = { name: 'queues', version: 3 } as const;
const labels: AnswerMapping = {
  ...{ kind: 'labels', spellings: { billing: 'billing', shipping: 'shipping' } },
  ...{ separator: null, before: '', after: '' },
};
const of = (mapping: AnswerMapping, text: string, output: Parameters<typeof callAsRow>[3]) =>
  callAsRow({ mapping }, NAMED, text, output, 0.9);

describe('a call of a distilled version as a row', () => {
  it('has the label of the answer, however it is written in whatever dialect', () => {
    const said = { role: 'assistant', content: 'Billing.' };
    for (const output of ['billing', said, { content: [{ type: 'text', text: 'billing' }] }])
      expect(of(labels, 'My invoice', output)).toEqual({
        ...{ modelName: 'queues', modelVersion: 3, length: 10, beginning: 'My invoice' },
        ...{ labels: ['billing'], certainty: 0.9 },
      });
  });

  it('has the classes and structures of a JSON answer, or of the arguments of a tool', () => {
    const answers = Array.from({ length: 30 }, (_, n) => {
      const [order, queue] = [`${4_471 + n}`, n % 2 ? 'billing' : 'shipping'];
      return {
        ...{ text: `Order ${order}: the ${n % 2 ? 'invoice' : 'parcel'}`, at: '2030-01-02T03:04:05.678Z' },
        answer: { tool: 'route', text: JSON.stringify({ queue, order }) },
      };
    });
    const proposal = proposeMapping(answers);
    if (proposal.kind === 'refused') throw new Error(proposal.reason);
    const calling = (name: string, given: object) => ({
      tool_calls: [{ type: 'function', function: { name, arguments: JSON.stringify(given) } }],
    });
    const labelsOf = (output: Parameters<typeof callAsRow>[3]) => of(proposal.mapping, answers[0]!.text, output).labels;
    expect(labelsOf(calling('route', { queue: 'shipping', order: '4471' }))).toEqual(['shipping', 'route']);
    expect(labelsOf(calling('route', { queue: 'returns', order: '4471' }))).toBeNull();
    expect(labelsOf(calling('escalate', { queue: 'shipping', order: '4471' }))).toBeNull();
  });

  it('has no labels where the answer says something that was not learned', () => {
    for (const output of ['returns', { role: 'assistant', content: null, refusal: 'no' }, null])
      expect(of(labels, 'My invoice', output).labels).toBeNull();
  });

  it('keeps the beginning of a long text', () => {
    const { length, beginning } = of(labels, 'a'.repeat(70_000), 'billing');
    expect([length, beginning.length]).toEqual([70_000, 1_000]);
  });
});
