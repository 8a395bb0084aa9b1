import { invoice, person, type Answers } from '../mapping/answers.fixture.js';
import { chat, Dice, textOf } from '../tasks/prompts.fixture.js';
import { crossFit } from './quick-fit.js';
import { surveyOf, type SurveyedCall, type SurveyedTask } from './survey.js';

const INSTRUCTION = 'Read the mail and answer as you were told to, in one line and without any explanation.';

/** Calls with one system prompt. */
function called(answers: Answers, count: number, { seed = 1, teacher = 'acme/gpt' } = {}): readonly SurveyedCall[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, (_, at) => {
    const { text, answer } = answers(dice);
    return {
      ...{
        id: `${teacher}-${seed}-${at}`,
        at: new Date(Date.UTC(2026, 4, 1, 0, at)).toISOString(),
        model: teacher,
        teacher,
      },
      ...{ request: chat(INSTRUCTION, `<mail>${text}</mail>`), answer: { role: 'assistant', content: answer } },
      ...{ cost: '1000', tokens: 50 },
    };
  });
}

const KINDS = ['refund', 'damage', 'thanks'] as const;
const SAID = {
  refund: ['please pay it back', 'I want my money', 'a refund is due', 'return the amount'],
  damage: ['it came broken', 'the box is crushed', 'one leg is cracked', 'it does not work'],
  thanks: ['what a lovely thing', 'you were great', 'thank you all', 'I am so happy'],
};
const sorted: Answers = (dice) => {
  const kind = dice.pick(KINDS);
  return { text: `${textOf(dice, 1)} ${dice.pick(SAID[kind])}`, answer: kind };
};

const only = (calls: readonly SurveyedCall[]): SurveyedTask => {
  const { tasks, refused } = surveyOf(calls);
  expect([tasks.length, refused]).toEqual([1, []]);
  return tasks[0]!;
};
const codesOf = ({ doubts }: SurveyedTask) => doubts.map(({ code }) => code);

describe('a survey of recorded calls', () => {
  it('estimates how many calls a small model could answer, never more than it was right on', () => {
    const task = only(called(sorted, 300));
    expect(task).toMatchObject({
      verdict: 'yes',
      doubts: [],
      form: 'label',
      calls: 300,
      tokens: 15_000,
      cost: '300000',
    });
    expect(task.prompt).toBe(`${INSTRUCTION}\n<mail>{text}</mail>`);
    const { judged, agreement, shares } = task.estimate!;
    expect(judged).toBe(300);
    expect(agreement).toBeGreaterThan(0.95);
    expect(shares.map(({ target }) => target)).toEqual([0.92, 0.95, 0.98]);
    expect(shares[0]!.share).toBeGreaterThan(0.9);
    const given = shares.map(({ share }) => share ?? 0);
    expect(given).toEqual(given.toSorted((one, other) => other - one));
  });

  it('says of labels by a coin that they are no better than chance', () => {
    for (const seed of [1, 2, 3]) {
      const task = only(called((dice) => ({ text: textOf(dice), answer: dice.pick(['yes', 'no']) }), 400, { seed }));
      expect([task.verdict, codesOf(task)]).toEqual(['no', ['random']]);
      expect(task.estimate!.shares.every(({ share }) => share === null)).toBe(true);
    }
  });

  it('says how many calls are missing, whatever their copies', () => {
    const calls = called(sorted, 30);
    const again = calls.map((call) => ({ ...call, id: `${call.id}-again` }));
    const task = only([...calls, ...again]);
    expect(task).toMatchObject({ calls: 60, distinct: 30, selfAgreement: 1, verdict: 'no' });
    expect(task.doubts).toEqual([{ code: 'too_few_calls', missing: 29 }]);
    expect(task).toMatchObject({ estimate: null, noEstimate: 'too_few_calls' });
  });

  it('says of few short answers that they are few, not that they are free text', () => {
    const task = only(called(sorted, 11));
    expect([task.verdict, task.form, task.doubts]).toEqual(['no', 'label', [{ code: 'too_few_calls', missing: 48 }]]);
    expect(task).toMatchObject({ estimate: null, noEstimate: 'too_few_calls', heads: null });
  });

  it('says of answers that are nearly all one that they are too one-sided', () => {
    const task = only(called((dice) => ({ ...sorted(dice), answer: 'refund' }), 80));
    expect([task.verdict, codesOf(task), task.noEstimate]).toEqual(['no', ['one_sided'], 'one_sided']);
  });

  it('says if the teacher answers copies otherwise', () => {
    const calls = called(sorted, 100);
    const again = calls.map((call, at) => ({
      ...call,
      id: `${call.id}-again`,
      ...(at % 4 === 0 && { answer: { role: 'assistant', content: KINDS[at % 3]! } }),
    }));
    const task = only([...calls, ...again]);
    expect(task.selfAgreement).toBeGreaterThan(0.75);
    expect(task.selfAgreement).toBeLessThan(0.9);
    expect([task.verdict, codesOf(task)]).toEqual(['ask', ['teacher_disagrees_with_itself']]);
  });

  it('names the fields that cannot be learned, and the heads of the others', () => {
    const task = only(
      called((dice) => {
        const { text, number, total, isPaid } = invoice(dice);
        const summary = `${person(dice)} of ${text.length} letters`;
        return { text, answer: JSON.stringify({ number, paid: isPaid, tax: total * 0.19, summary }) };
      }, 120),
    );
    expect([task.verdict, task.form, codesOf(task)]).toEqual(['ask', 'json', ['unmapped_fields']]);
    expect(task.doubts).toMatchObject([{ fields: [{ path: 'tax' }, { path: 'summary' }] }]);
    expect(task.heads).toEqual([
      { path: 'number', kind: 'span', labels: null, choices: ['span', 'null', 'omitted'] },
      {
        ...{ path: 'paid', kind: 'class', labels: expect.arrayContaining(['true', 'false']) },
        choices: ['class', 'null', 'omitted'],
      },
      { path: 'tax', kind: 'null', labels: null, choices: ['null', 'omitted'] },
      { path: 'summary', kind: 'null', labels: null, choices: ['null', 'omitted'] },
    ]);
    expect(task).toMatchObject({ estimate: null, noEstimate: 'needs_training' });
  });

  it('judges whole answers where several classes are asked for', () => {
    const task = only(
      called((dice) => {
        const { text, answer } = sorted(dice);
        return { text, answer: JSON.stringify({ kind: answer, urgent: answer === 'damage', lucky: dice.chance(0.5) }) };
      }, 300),
    );
    expect(task.heads!.map(({ path }) => path)).toEqual(['kind', 'urgent', 'lucky']);
    // One of the three is a coin.
    expect(task.estimate!.agreement).toBeGreaterThan(0.35);
    expect(task.estimate!.agreement).toBeLessThan(0.65);
  });

  it('keeps models apart, the dearest tasks first, and says of which calls no task can be made', () => {
    const dear = called(sorted, 40, { teacher: 'acme/large' }).map((call) => ({ ...call, cost: '9000000000000000' }));
    const free = called(sorted, 20, { seed: 5, teacher: 'acme/free' }).map((call, at) => ({
      ...call,
      request: chat(null, `${'abc'.repeat(at)} ${at}`),
    }));
    const { tasks, refused } = surveyOf([...called(sorted, 60), ...dear, ...free]);
    expect(tasks.map(({ teacher, calls, cost }) => [teacher, calls, cost])).toEqual([
      ['acme/large', 40, String(40n * 9_000_000_000_000_000n)],
      ['acme/gpt', 60, '60000'],
    ]);
    expect(refused).toMatchObject([
      { teacher: 'acme/free', calls: 20, cost: '20000', reason: expect.stringContaining('no constant part') },
    ]);
  });

  it('shortens long prompts', () => {
    const rules = `Beginning. ${'Rule. '.repeat(2_000)}End.`;
    const calls = called(sorted, 60).map((call) => ({
      ...call,
      request: chat(rules, (call.request as { messages: { content: string }[] }).messages[1]!.content),
    }));
    const { prompt } = surveyOf(calls).tasks[0]!;
    expect(prompt.length).toBeLessThan(250);
    expect(prompt).toMatch(/^Beginning\..*….*End\.\n<mail>/s);
  });
});

describe('a quick fit', () => {
  it('is the same each time, and answers every text out of what others say', () => {
    const dice = new Dice(9);
    const rows = Array.from({ length: 60 }, () => sorted(dice));
    const texts = rows.map(({ text }) => text);
    const labels = rows.map(({ answer }, at) => (at % 10 === 0 ? null : answer));
    const answers = crossFit(texts, labels);
    expect(crossFit(texts, labels)).toEqual(answers);
    expect(answers.every(({ label, certainty }) => KINDS.includes(label as 'refund') && certainty > 1 / 3 - 1e-6)).toBe(
      true,
    );
    // A word that one text alone has cannot tell its label.
    const secrets = crossFit(
      texts.map((_, at) => `unseen${at}`),
      labels,
    );
    expect(secrets.filter(({ label }, at) => label === labels[at]).length).toBeLessThan(40);
  });
});
