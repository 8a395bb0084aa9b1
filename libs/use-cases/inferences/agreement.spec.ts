import type { Json } from '#domain/json.js';
import { agreementOf, cohensKappa, type ReviewerJudgement } from './agreement.js';

const says = (reviewer: string, verdict: ReviewerJudgement['verdict'], right: Json = null): ReviewerJudgement => ({
  reviewer,
  verdict,
  right,
});
const people = (...person: Json[]): Json => ({ entities: { person } });

describe('agreement of reviewers', () => {
  it('is Cohen’s kappa of their verdicts', () => {
    const times = (count: number, a: string, b: string) => Array.from({ length: count }, () => [a, b] as const);
    const judged = [
      ...times(20, 'correct', 'correct'),
      ...times(5, 'correct', 'incorrect'),
      ...times(10, 'incorrect', 'correct'),
      ...times(15, 'incorrect', 'incorrect'),
    ];
    expect(cohensKappa(judged)).toBeCloseTo(0.4, 12);
    expect(cohensKappa(times(3, 'correct', 'correct'))).toBeNull();
    expect(cohensKappa([...times(2, 'correct', 'unsure'), ...times(2, 'unsure', 'correct')])).toBe(-1);
  });

  it('is the F1 between the entities that they consider right', () => {
    const ada = { text: 'Ada', start: 0, end: 3 };
    const { pairs } = agreementOf([
      { id: 'i1', verdicts: [says('Bob', 'incorrect', people('Ada', 'Lima')), says('Ann', 'correct', people(ada))] },
      { id: 'i2', verdicts: [says('Ann', 'correct', people()), says('Bob', 'correct', people())] },
      { id: 'i3', verdicts: [says('Ann', 'unsure'), says('Bob', 'correct', people('Ada'))] },
    ]);
    expect(pairs).toEqual([
      {
        ...{ reviewers: ['Ann', 'Bob'], calls: 3, agreed: 1, kappa: expect.any(Number) },
        ...{ entity_calls: 2, entity_f1: 2 / 3 },
      },
    ]);
  });

  it('matches entities by label, text, start and place in the batch', () => {
    const f1 = (a: Json, b: Json) =>
      agreementOf([{ id: 'i1', verdicts: [says('Ann', 'incorrect', a), says('Bob', 'incorrect', b)] }]).pairs[0]!
        .entity_f1;
    const at = (start: number) => ({ text: 'Ada', start });
    expect(f1(people(at(0)), people(at(0)))).toBe(1);
    expect(f1(people(at(0)), people(at(9)))).toBe(0);
    expect(f1(people(at(9), 'Ada'), people('Ada', at(9)))).toBe(1);
    expect(f1(people('Ada'), { entities: { city: ['Ada'] } })).toBe(0);
    expect(f1([people('Ada'), people()], [people(), people('Ada')])).toBe(0);
    expect(f1(people(), people())).toBeNull();
    expect(f1({ topic: 'a' }, { topic: 'b' })).toBeNull();
  });

  it('names the calls on which verdicts or corrections differ', () => {
    const { disagreements } = agreementOf([
      { id: 'verdicts', verdicts: [says('Ann', 'correct'), says('Bob', 'unsure')] },
      { id: 'none', verdicts: [says('Ann', 'incorrect', people('Ada')), says('Bob', 'incorrect', people('Ada'))] },
      { id: 'corrections', verdicts: [says('Ann', 'incorrect', people('Ada')), says('Bob', 'incorrect', people())] },
    ]);
    expect(disagreements).toEqual(['verdicts', 'corrections']);
  });
});
