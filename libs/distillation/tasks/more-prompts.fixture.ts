import type { JsonObject } from '#domain/json.js';
import { chat, dateOf, Dice, NAMES, textOf, with_, type Shape } from './prompts.fixture.js';

const turn = (role: string, content: string): JsonObject => ({ role, content });
const GUIDE = Array.from(
  { length: 40 },
  (_, at) => `${at + 1}. Rule ${at * 7}: mails about subject ${at} go to queue ${at % 4}.`,
).join('\n');

/** Shapes that were written after the code worked. */
export const MORE_SHAPES: Readonly<Record<string, Shape>> = {
  'XML with attributes that change': (dice, at) =>
    with_(dice, (text) =>
      chat('Answer with the mood.', `<ticket id="${9_000 + at}" opened="${dateOf(dice)}">${text}</ticket>`),
    ),
  'the text twice marked, and a reminder behind it': (dice) =>
    with_(dice, (text) =>
      chat(
        null,
        `### Instruction\nName the queue.\n\n### Input\n${text}\n\n### Response\nRemember: one word only, no full stop.`,
      ),
    ),
  'a guide of forty rules': (dice) => with_(dice, (text) => chat(`Sort mails by these rules:\n${GUIDE}`, text)),
  'a chat as one text': (dice) =>
    with_(dice, (text) => chat(null, `Human: Which queue is this for?\n${text}\n\nAssistant:`)),
  'instructions and input of responses': (dice) =>
    with_(dice, (text) => ({
      instructions: 'Sort the mail into a queue.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
    })),
  'quotes of three and a list of labels behind': (dice) =>
    with_(dice, (text) => chat(null, `"""${text}"""\n\nPick one: billing, delivery, account, other.`)),
  'JSON in the middle of words': (dice) =>
    with_(dice, (text) =>
      chat(
        'You sort mails.',
        `Here is the record:\n${JSON.stringify({ from: `u${dice.number(1e5)}@mail.example`, body: text }, null, 2)}\nReply with the queue.`,
      ),
    ),
  'German words around': (dice) =>
    with_(dice, (text) =>
      chat(
        'Du bist ein hilfreicher Assistent für Kundenanfragen.',
        `Ordne die folgende Nachricht zu.\n\nNachricht: „${text}“\n\nAntwort:`,
      ),
    ),
  'a request id and a time in front': (dice) =>
    with_(dice, (text) =>
      chat(
        `[req ${dice.number(1e9).toString(16)}0] [${dateOf(dice)}T0${dice.number(10)}:15:00Z] You are a router of mails for support.`,
        text,
      ),
    ),
  'very long texts': (dice) =>
    with_(dice, (text) => chat('Which queue?', `Mail: ${text}\n--\nEnd of mail.`), textOf(dice, 40 + dice.number(40))),
  'texts of a few words': (dice) =>
    with_(
      dice,
      (text) => chat('Name the intent of the utterance.', `Utterance: ${text}`),
      `${dice.pick(['play', 'stop', 'book', 'find'])} ${dice.pick(['jazz', 'a table', 'news', 'Oslo', 'a film'])} ${dice.number(10_000)}`,
    ),
  'the name of the customer in both messages': (dice) => {
    const name = dice.pick(NAMES);
    return with_(dice, (text) => ({
      messages: [
        turn('system', `You answer for ${name}. Sort the mail into a queue.`),
        turn('user', `From: ${name}\nSubject: mail\n\n${text}`),
      ],
    }));
  },
};

/** Prompts of which no text can be cut, or not with certainty. */
export const UNCERTAIN: Readonly<Record<string, readonly [Shape, RegExp]>> = {
  'a passage and a question': [
    (dice) => with_(dice, (text) => chat('Answer yes or no.', `Passage: ${textOf(dice, 4)}\n\nQuestion: ${text}`)),
    /2 stretches differ/,
  ],
  'values that the answers take from another part': [
    (dice) => {
      const name = dice.pick(NAMES);
      return {
        ...with_(dice, (text) => chat('Extract the facts.', `Customer: ${name}\nMail: ${text}`)),
        answer: JSON.stringify({ customer: name, about: 'mail' }),
      };
    },
    /a part of the prompt that is not the text/,
  ],
};

export const REFUSED: Readonly<Record<string, readonly [Shape, RegExp]>> = {
  'no constant part': [(dice) => with_(dice, (text) => chat(null, text)), /no constant part/],
  'fewer than ten constant characters': [
    (dice) => with_(dice, (text) => chat(null, `Intent: ${text}`)),
    /no constant part/,
  ],
  'turns that differ': [
    (dice) =>
      with_(dice, (text) => ({
        messages: [
          turn('system', 'You are a friend of mine.'),
          turn('user', textOf(dice)),
          turn('assistant', textOf(dice)),
          turn('user', text),
        ],
      })),
    /earlier turns/,
  ],
  'one and the same request': [() => with_(new Dice(1), () => chat('Tell me a joke.', 'Please')), /no text differs/],
  images: [
    (dice) =>
      with_(dice, (text) => ({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text },
              { type: 'image_url', image_url: { url: 'x' } },
            ],
          },
        ],
      })),
    /more than texts/,
  ],
};
