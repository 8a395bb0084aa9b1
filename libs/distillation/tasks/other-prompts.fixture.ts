import type { JsonObject } from '#domain/json.js';
import { chat, dateOf, labelOf, NAMES, textOf, with_, type Dice, type Shape } from './prompts.fixture.js';

const turn = (role: string, content: string): JsonObject => ({ role, content });
const SCHEMA = {
  type: 'object',
  properties: { queue: { enum: ['billing', 'delivery', 'account', 'other'] }, urgent: { type: 'boolean' } },
  required: ['queue', 'urgent'],
  additionalProperties: false,
};
const ROUTE = { name: 'route', description: 'Routes a mail', parameters: SCHEMA };
const CALL = { id: 'call_1', type: 'function', function: { name: 'queues', arguments: '{"shop": "lamps"}' } };
const answer = (dice: Dice) => JSON.stringify({ queue: labelOf(dice), urgent: dice.chance(0.5) });
const transcript = (dice: Dice): string =>
  Array.from({ length: 2 + dice.number(3) }, (_, at) => `${at % 2 ? 'Agent' : 'Customer'}: ${textOf(dice, 1)}`).join('\n'); // prettier-ignore

/** Shapes in every dialect, of kinds that the others have not. */
export const OTHER_SHAPES: Readonly<Record<string, Shape>> = {
  'messages of the native dialect': (dice) =>
    with_(dice, (text) => ({
      ...{ model_id: 'acme/gpt', task: 'generate', max_tokens: 8, temperature: 0 },
      messages: [turn('system', 'Sort the mail into a queue.'), turn('user', `Mail: ${text}`)],
    })),
  'responses with a format': (dice) => ({
    ...with_(dice, (text) => ({
      ...{ instructions: 'Sort the mail.', input: text, store: true },
      text: { format: { type: 'json_schema', name: 'queue', strict: true, schema: SCHEMA } },
    })),
    answer: answer(dice),
  }),
  'responses with a function that has to be called': (dice) =>
    with_(dice, (text) => ({
      input: [turn('developer', 'Route the mail.'), { role: 'user', content: [{ type: 'input_text', text }] }],
      tools: [{ type: 'function', ...ROUTE }],
      tool_choice: { type: 'function', name: 'route' },
    })),
  'a tool that has to be called': (dice) =>
    with_(dice, (text) => ({
      ...chat('Route the mail.', `<mail>${text}</mail>`),
      ...{ tools: [{ type: 'function', function: ROUTE }], parallel_tool_calls: false },
      tool_choice: { type: 'function', function: { name: 'route' } },
    })),
  'a tool of messages that has to be called': (dice) =>
    with_(dice, (text) => ({
      ...{ system: 'Route the mail.', max_tokens: 100, messages: [turn('user', text)] },
      tools: [{ name: 'route', description: 'Routes a mail', input_schema: SCHEMA }],
      tool_choice: { type: 'tool', name: 'route' },
    })),
  'a tool that was called before, with its result': (dice) =>
    with_(dice, (text) => ({
      messages: [
        turn('system', 'Sort mails into the queues of the shop.'),
        turn('user', 'Which queues are there?'),
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: '["billing","delivery","account","other"]' },
        turn('user', text),
      ],
    })),
  'examples as turns of messages': (dice) =>
    with_(dice, (text) => ({
      system: 'Name the queue.',
      messages: [
        turn('user', '<mail>I paid twice</mail>'),
        turn('assistant', 'billing'),
        turn('user', '<mail>Where is it?</mail>'),
        { role: 'assistant', content: [{ type: 'text', text: 'delivery' }] },
        { role: 'user', content: [{ type: 'text', text: `<mail>${text}</mail>` }] },
      ],
    })),
  'the text within tags of the system prompt': (dice) =>
    with_(dice, (text) =>
      chat(`You sort mails.\n<mail>\n${text}\n</mail>\nAnswer with one word.`, 'Name the queue of the mail.'),
    ),
  'a prompt of completions': (dice) =>
    with_(dice, (text) => ({ prompt: `Sort mails into queues.\n\nMail: ${text}\nQueue:`, max_tokens: 4 })),
  'two variables, of which one stands twice': (dice, at) => {
    const name = dice.pick(NAMES);
    return with_(dice, (text) =>
      chat(
        `You answer mails of ${name}.`,
        `Ticket ${40_000 + at} (${dateOf(dice)})\n\n${text}\n\nSigned in as ${name}. Which queue is it for?`,
      ),
    );
  },
  'Chinese words around': (dice) =>
    with_(dice, (text) => chat('你是一个客服助手，请将邮件分类。', `邮件内容：${text}\n请只回答类别。`)),
};

/** Texts that all begin alike: the beginning is lost, when they are learned and when they are answered. */
export const ALIKE_BEGINNINGS: Readonly<Record<string, readonly [Shape, string]>> = {
  'a talk within tags': [
    (dice) =>
      with_(
        dice,
        (text) => chat('What does the customer of the talk want?', `<talk>\n${text}\n</talk>`),
        transcript(dice),
      ),
    'Customer: ',
  ],
  'a mail that is quoted line by line': [
    (dice) =>
      with_(
        dice,
        (text) => chat('Name the queue.', `On ${dateOf(dice)} someone wrote:\n${text}\n\nAnswer in one word, please.`),
        textOf(dice).split('\n').map((line) => `> ${line}`).join('\n'), // prettier-ignore
      ),
    '> ',
  ],
};

/** Parts that are no texts, in every dialect: a student reads texts alone. */
export const NO_TEXTS: Readonly<Record<string, Shape>> = {
  'an image of messages': (dice) =>
    with_(dice, (text) => ({
      system: 'Name the queue.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'url', url: 'x' } },
            { type: 'text', text },
          ],
        },
      ],
    })),
  'a file of responses': (dice) =>
    with_(dice, (text) => ({
      instructions: 'Name the queue.',
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }, { type: 'input_text', text }] }], // prettier-ignore
    })),
  'a sound': (dice) =>
    with_(dice, (text) => ({
      messages: [
        turn('system', 'Name the queue.'),
        { role: 'user', content: [{ type: 'text', text }, { type: 'input_audio', input_audio: { data: '', format: 'wav' } }] }, // prettier-ignore
      ],
    })),
};
