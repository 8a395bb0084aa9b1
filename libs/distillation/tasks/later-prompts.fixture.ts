import type { JsonObject } from '#domain/json.js';
import { chat, dateOf, NAMES, textOf, with_, type Dice, type Shape } from './prompts.fixture.js';

const turn = (role: string, content: string): JsonObject => ({ role, content });
const tool = (name: string): JsonObject => ({
  type: 'function',
  function: {
    name,
    description: `Uses ${name}`,
    parameters: { type: 'object', properties: { queue: { type: 'string' } } },
  },
});
const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt'];
const example = (dice: Dice): string => `Mail: ${textOf(dice, 1)}\nQueue: ${dice.pick(['billing', 'delivery'])}\n\n`;
const line = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

/** Shapes that were written after all others, and for which nothing was changed. */
export const LATER_SHAPES: Readonly<Record<string, Shape>> = {
  'a beginning of the answer as the last turn': (dice) =>
    with_(dice, (text) => ({
      messages: [turn('system', 'Sort the mail into a queue.'), turn('user', text), turn('assistant', '{"queue": "')],
    })),
  'character data within XML': (dice, at) =>
    with_(dice, (text) => chat('Name the queue.', `<mail no="${700 + at}"><body><![CDATA[${text}]]></body></mail>`)),
  'YAML with a block of text': (dice, at) =>
    with_(
      dice,
      (text) =>
        chat('Name the queue.', `ticket: ${30_000 + at}\nopened: ${dateOf(dice)}\nbody: |\n  ${text}\nend: true`),
      line(textOf(dice)),
    ),
  'a row of a table': (dice, at) =>
    with_(
      dice,
      (text) => chat('Name the queue of the last row.', `id,channel,text,checked\n${at + 100},mail,"${text}",no`),
      line(textOf(dice)).replaceAll('"', "'"),
    ),
  'the text in the system message': (dice) =>
    with_(dice, (text) => chat(`Name the queue of this mail and nothing else.\n\nMAIL\n${text}`, 'Which queue is it?')),
  'two tools, of which one is called': (dice) =>
    with_(dice, (text) => ({ ...chat('Route the mail.', `Mail: ${text}`), tools: [tool('route'), tool('escalate')] })),
  'a language of eight': (dice) =>
    with_(dice, (text) =>
      chat(`You sort mails. The reader's language is ${dice.pick(LANGUAGES)}. Name the queue.`, text),
    ),
  'headings, a list and a day': (dice) =>
    with_(dice, (text) =>
      chat(
        null,
        `# Task\nName the queue.\n\n## Day\n${dateOf(dice)}\n\n## Queues\n- billing\n- delivery\n\n## Mail\n${text}`,
      ),
    ),
  'a mail with its own headers': (dice) =>
    with_(dice, (text) =>
      chat('Name the queue.', `From: ${dice.pick(NAMES)}\nDate: ${dateOf(dice)}\nX-Id: ${dice.number(1e8)}\n\n${text}`),
    ),
  'examples that differ from call to call': (dice) =>
    with_(dice, (text) => chat('Name the queue.', `${example(dice)}${example(dice)}Mail: ${text}\nQueue:`)),
  'a subject and a body': (dice) =>
    with_(dice, (text) => chat('Name the queue.', `Subject: ${textOf(dice, 1)}\nBody: ${text}\n\nQueue:`)),
  'several mails at a time': (dice) =>
    with_(dice, (text) =>
      chat('Name the queue of each mail.', `1. ${textOf(dice, 1)}\n2. ${text}\n3. ${textOf(dice, 1)}`),
    ),
};
