import { findTasks } from './find-tasks.js';
import { LATER_SHAPES } from './later-prompts.fixture.js';
import { made } from './prompts.fixture.js';

/** What is cut out besides the text: the model reads it too, each time, so that nothing is answered wrongly for it. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  'a mail with its own headers': /^\n$/,
  'examples that differ from call to call': /^[^]*\nQueue: (?:billing|delivery)\n\nMail: $/,
};
const ASKED: Readonly<Record<string, RegExp>> = {
  'a subject and a body': /^2 stretches differ/,
  'several mails at a time': /^3 stretches differ/,
};

describe('prompts that nothing was changed for', () => {
  it.each(Object.entries(LATER_SHAPES))('are cut right, harmlessly off, or asked about: %s', (name, shape) => {
    for (const seed of [1, 2, 3])
      for (const count of [40, 300]) {
        const calls = made(shape, count, seed);
        const texts = new Map(calls.map(({ call, text }) => [call.id, text!]));
        const { tasks, refused } = findTasks(calls.map(({ call }) => call));
        expect([tasks.length, refused]).toEqual([1, []]);
        const [{ members, cut, reason }] = tasks as [(typeof tasks)[number]];
        expect(members).toHaveLength(count);
        expect([cut, reason]).toEqual(ASKED[name] ? ['ask', expect.stringMatching(ASKED[name])] : ['certain', '']);
        for (const { id, text } of members) {
          const own = texts.get(id)!;
          expect(text.endsWith(own)).toBe(true);
          expect(text.slice(0, text.length - own.length)).toMatch(HARMLESS[name] ?? /^$/);
        }
      }
  });
});
