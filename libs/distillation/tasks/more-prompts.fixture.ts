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

const form = (dice: Dice): string =>
  dice.chance(0.5)
    ? `Dear team,\nmy order ${dice.number(1e6)} of ${dateOf(dice)}: ${textOf(dice, 1)}\nKind regards,\n${dice.pick(NAMES)}`
    : `Name: ${dice.pick(NAMES)}\nReason: ${textOf(dice, 1)}\nOrder number: ${dice.number(1e6)}`;

/** Texts that have constant words of their own, as mails that a form writes: what encloses them tells what the text is. */
export const ENCLOSED: Readonly<Record<string, Shape>> = {
  'mails of two forms within tags': (dice) =>
    with_(dice, (text) => chat('Sort the mail.', `<mail>\n${text}\n</mail>`), form(dice)),
  'mails of one form within tags': (dice) =>
    with_(
      dice,
      (text) => chat('Sort the mail.', `<mail>\n${text}\n</mail>`),
      `Name: ${dice.pick(NAMES)}\nReason: ${textOf(dice, 1)}\nOrder number: ${dice.number(1e6)}`,
    ),
  'mails of two forms within a fence': (dice) =>
    with_(dice, (text) => chat(null, `Sort the mail.\n\`\`\`text\n${text}\n\`\`\`\nAnswer in one word.`), form(dice)),
  'mails of two forms within quotes of three': (dice) =>
    with_(dice, (text) => chat('Sort the mail.', `"""${text}"""`), form(dice)),
  'tags with attributes, and others before': (dice, at) =>
    with_(
      dice,
      (text) => chat('Sort the mail.', `<day>${dateOf(dice)}</day>\n<mail id="${at + 5_000}">${text}</mail>`),
      form(dice),
    ),
};

const PROMPTS = Array.from({ length: 30 }, (_, at) => {
  const dice = new Dice(1_000 + at);
  const about = `${dice.pick(['Does', 'Did', 'Will'])} the writer ${dice.pick(['want', 'expect', 'fear'])}`;
  return `${about} ${dice.pick(['a refund', 'an answer', 'a parcel', 'more time'])} of kind ${at}? Answer yes or no.`;
});
const TOPICS = ['refunds', 'parcels', 'praise', 'fraud', 'stock', 'prices'];

/** Many prompts that differ in a few words, of which each is another question. */
export const MANY: Readonly<Record<string, Shape>> = {
  'thirty instructions under one system prompt': (dice) => {
    const at = dice.number(PROMPTS.length);
    const system = `You read the mails of a shop for tools, and answer in few words.\n\nTask: ${PROMPTS[at]!}`;
    return { ...with_(dice, (text) => chat(system, text)), task: `prompt ${at}` };
  },
  'ten instructions before the mail': (dice) => {
    const at = dice.number(10);
    return {
      ...with_(dice, (text) => chat('You are brief.', `${PROMPTS[at]!}\n\nMail: ${text}`)),
      task: `prompt ${at}`,
    };
  },
  'a word on which the answer to one mail hangs': (dice) => {
    const [topic, at] = [dice.number(TOPICS.length), dice.number(60)];
    const request = (text: string) => chat(null, `Say if a mail is on ${TOPICS[topic]!} or not:\n${text}`);
    const answer = at % TOPICS.length === topic ? 'yes' : 'no';
    return { ...with_(dice, request, textOf(new Dice(7_000 + at))), task: `topic ${topic}`, answer };
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
