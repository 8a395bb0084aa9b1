import type { JsonObject } from '#domain/json.js';
import { feedbackRows, isHeldOut, labelsIn, type JudgedText } from './rows.js';

const judged = (at: string, answer: JsonObject, text = 'Ada left.'): JudgedText => ({
  text,
  answer,
  inferenceId: `i${at}`,
  at,
});
const people = (...person: (string | JsonObject)[]): JsonObject => ({ entities: { person } });

describe('rows from feedback', () => {
  it('contain each text once, with the call that it comes from', () => {
    const same = [judged('1', people({ text: 'Ada', start: 0, confidence: 0.7 })), judged('2', people('Ada'))];
    expect(feedbackRows([...same, judged('3', people(), 'Nobody.')], 'newest')).toEqual({
      conflicts: [],
      rows: [
        { text: 'Ada left.', result: people('Ada'), source_inference_id: 'i2', at: '2' },
        { text: 'Nobody.', result: people(), source_inference_id: 'i3', at: '3' },
      ],
    });
  });

  it('follow the newest verdict or the majority where verdicts differ, and list the conflicts', () => {
    const all = [judged('1', people('Ada')), judged('2', people('Ada')), judged('3', people())];
    const conflicts = [{ text: 'Ada left.', inference_ids: ['i3', 'i2', 'i1'] }];
    const row = (n: number, result: JsonObject) => ({
      text: 'Ada left.',
      result,
      source_inference_id: `i${n}`,
      at: `${n}`,
    });
    expect(feedbackRows(all, 'newest')).toEqual({ conflicts, rows: [row(3, people())] });
    expect(feedbackRows(all, 'majority')).toEqual({ conflicts, rows: [row(2, people('Ada'))] });
    expect(feedbackRows(all.slice(1), 'majority').rows).toEqual([row(3, people())]);
  });

  it('are held out by their text alone, in the requested share', () => {
    const texts = Array.from({ length: 2000 }, (_, n) => `text ${n}`);
    const held = texts.filter((text) => isHeldOut(text, 0.25));
    expect(held.length).toBeGreaterThan(420);
    expect(held.length).toBeLessThan(580);
    expect(held.every((text) => isHeldOut(text, 0.5))).toBe(true);
    expect([isHeldOut('a', 0), isHeldOut('a', 1)]).toEqual([false, true]);
    const shouted = texts.map((text) => ` ${text.toUpperCase()}!`);
    expect(shouted.filter((text) => isHeldOut(text, 0.25))).toHaveLength(held.length);
  });

  it('have the labels of every head', () => {
    const answer = { entities: { person: ['Ada'], city: [] }, topic: { label: 'work' }, mood: ['glad'] };
    expect([...labelsIn(answer)]).toEqual(['person', 'work', 'glad']);
  });
});
