import type { JsonObject } from '#domain/json.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import type { RecordedCall } from '../calls/canonical.js';

/** A generated call and the text that is to be cut out of it; null if it is to be refused. */
export interface MadeCall {
  readonly call: RecordedCall;
  readonly text: string | null;
  /** Which of several tasks it belongs to. */
  readonly task: string;
}

/** Random choices of one seed. */
export class Dice {
  private readonly draw: () => number;
  constructor(seed: number) {
    this.draw = randomNumbers(seed);
  }
  number = (below: number): number => Math.floor(this.draw() * below);
  pick = <T>(all: readonly T[]): T => all[this.number(all.length)]!;
  chance = (share: number): boolean => this.draw() < share;
}

const WHO = ['I', 'we', 'my wife', 'a customer', 'the driver', 'our team', 'my son', 'someone', 'the shop', 'they'];
const DID = [
  'lost',
  'ordered',
  'returned',
  'could not open',
  'paid for',
  'want to cancel',
  'never got',
  'broke',
  'need',
  'sold',
];
const WHAT = [
  'the card',
  'a parcel',
  'two lamps',
  'this invoice',
  'my password',
  'the app',
  'a "blue" chair',
  'some keys',
  'an account',
  'the refund',
];
const WHEN = [
  'yesterday',
  'last week',
  'on Monday',
  'twice',
  'in May',
  'again',
  'this morning',
  'at 5 pm',
  'after lunch',
  'for a friend',
];
const END = ['.', '?', '!', '', ' - please help.', '... thanks', '\nBest, Jo', ' (urgent)', '; why?', ', really'];

/** A text of a person, of one or more sentences. */
export function textOf(dice: Dice, sentences = 1 + dice.number(3)): string {
  const all = Array.from({ length: sentences }, () => {
    const said = `${dice.pick(WHO)} ${dice.pick(DID)} ${dice.pick(WHAT)} ${dice.pick(WHEN)} ref ${dice.number(100_000)}${dice.pick(END)}`;
    return dice.chance(0.5) ? said : said[0]!.toUpperCase() + said.slice(1);
  });
  return all.join(dice.chance(0.8) ? ' ' : '\n\n');
}

export const NAMES = [
  'Acme Ltd',
  'Bolt GmbH',
  'Cato & Sons',
  'Dune Travel',
  'Echo Labs',
  'Fern Foods',
  'Gull Air',
  'Hale Bank',
  'Iris Media',
  'Jade Motors',
  'Kite Energy',
  'Luna Books',
  'Mono Rail',
  'Nord Paper',
  'Opal Hotels',
];
export const dateOf = (dice: Dice): string =>
  `2026-${String(1 + dice.number(12)).padStart(2, '0')}-${String(1 + dice.number(28)).padStart(2, '0')}`;

const LABELS = ['billing', 'delivery', 'account', 'other'];
export const labelOf = (dice: Dice): string => dice.pick(LABELS);

/** Requests of a shape, and their texts. */
export type Shape = (
  dice: Dice,
  at: number,
) => { request: JsonObject; text: string | null; task?: string; answer?: string };

const SYSTEM =
  'You sort the mails of a shop into the queues billing, delivery, account and other. Answer with the queue alone.';
export const chat = (system: string | null, ...users: readonly string[]): JsonObject => ({
  messages: [
    ...(system === null ? [] : [{ role: 'system', content: system }]),
    ...users.map((content) => ({ role: 'user', content })),
  ],
});

export function made(shape: Shape, count: number, seed: number): readonly MadeCall[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, (_, at) => {
    const { request, text, task = 'only', answer = labelOf(dice) } = shape(dice, at);
    const minutes = dice.number(60 * 24 * 30);
    const time = new Date(Date.UTC(2026, 4, 1, 0, minutes)).toISOString();
    const call = {
      id: `${seed}-${at}`,
      at: time,
      model: 'acme/gpt',
      request,
      answer: { role: 'assistant', content: answer },
      cost: '1000',
    };
    return { call, text, task };
  });
}

const SHOTS = 'Text: where is my parcel?\nQueue: delivery\n\nText: I paid twice\nQueue: billing\n\n';
const TOOL = {
  type: 'function',
  function: {
    name: 'route',
    description: 'Routes a mail',
    parameters: { type: 'object', properties: { queue: { type: 'string' } } },
  },
};
const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'queue', schema: { type: 'object', properties: { queue: { enum: LABELS } } } },
};
const turn = (role: string, content: string): JsonObject => ({ role, content });

/** The shapes of prompts that were measured. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'bare text': (dice) => with_(dice, (text) => chat(SYSTEM, text)),
  quotes: (dice) => with_(dice, (text) => chat(null, `Which queue is this mail for? "${text}"`)),
  tags: (dice) => with_(dice, (text) => chat(SYSTEM, `<mail>\n${text}\n</mail>\nAnswer with the queue.`)),
  'code fences': (dice) => with_(dice, (text) => chat(SYSTEM, `Sort this mail:\n\`\`\`\n${text}\n\`\`\``)),
  'a JSON record': (dice, at) =>
    with_(dice, (text) => chat(SYSTEM, JSON.stringify({ id: 7_000 + at, channel: 'mail', body: text, lang: 'en' }))),
  'few-shot inside': (dice) =>
    with_(dice, (text) => chat(null, `Sort mails into queues.\n\n${SHOTS}Text: ${text}\nQueue:`)),
  'few-shot as messages': (dice) =>
    with_(dice, (text) => ({
      messages: [
        turn('system', SYSTEM),
        turn('user', 'I paid twice'),
        turn('assistant', 'billing'),
        turn('user', text),
      ],
    })),
  'a date in the system prompt': (dice) => with_(dice, (text) => chat(`Today is ${dateOf(dice)}. ${SYSTEM}`, text)),
  'a date in the message': (dice) => with_(dice, (text) => chat(SYSTEM, `Date: ${dateOf(dice)}\nMail: ${text}`)),
  'a customer in the system prompt': (dice) =>
    with_(dice, (text) => chat(`You work for ${dice.pick(NAMES)}. ${SYSTEM}`, text)),
  'a customer in the message': (dice) =>
    with_(dice, (text) => chat(SYSTEM, `Customer: ${dice.pick(NAMES)}\nMail: ${text}`)),
  'two variables': (dice) =>
    with_(dice, (text) => chat(SYSTEM, `Order ${dice.number(1e6)} of ${dateOf(dice)}, mail: ${text}\n\nQueue?`)),
  'one tool': (dice) => with_(dice, (text) => ({ ...chat('Route the mail.', text), tools: [TOOL] })),
  'a response format': (dice) => with_(dice, (text) => ({ ...chat(null, text), response_format: FORMAT })),
  'three versions of a prompt': (dice, at) => {
    const versions = [
      SYSTEM,
      'Which of our queues is this for: billing, delivery, account, other? One word.',
      `${SYSTEM} Never explain your choice to anyone.`,
    ];
    return with_(dice, (text) => chat(versions[at % 3]!, `Mail:\n${text}`));
  },
  'constant earlier turns': (dice) =>
    with_(dice, (text) => ({
      messages: [turn('user', SYSTEM), turn('assistant', 'Understood. Send me the first mail.'), turn('user', text)],
    })),
  'two tasks under one system prompt': (dice, at) =>
    at % 2 === 0
      ? { ...with_(dice, (text) => chat(SYSTEM, `Which queue is this mail for?\n\n${text}`)), task: 'queue' }
      : {
          ...with_(dice, (text) => chat(SYSTEM, `How does the writer of this mail feel?\n\n${text}`)),
          task: 'mood',
          answer: dice.pick(['glad', 'angry', 'neutral']),
        },
  'blocks of Anthropic with cache_control': (dice) =>
    with_(dice, (text) => ({
      system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: `<mail>${text}</mail>` }] }],
    })),
  'a parameter of three values': (dice) =>
    with_(dice, (text) =>
      chat(
        `${SYSTEM} The customer has the plan ${dice.pick(['basic, without support', 'gold, with support by mail', 'platinum, with a phone line of its own'])}.`,
        text,
      ),
    ),
  'text before the instruction': (dice) =>
    with_(dice, (text) => chat(null, `${text}\n\n---\nWhich queue is this mail for?`)),
};

/** A text, and the request made of it. */
export function with_(dice: Dice, request: (text: string) => JsonObject, text = textOf(dice)) {
  return { text, request: request(text) };
}
