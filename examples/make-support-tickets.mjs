// Writes support-tickets.jsonl (700 rows to train on) and support-tickets.held-out.jsonl (120 rows to measure with):
// messages to a shop, each with what is named in it (entities) and what it is about (label). Held-out rows have phrases of
// their own, and half of their names, products and places are in no training row. The same files come out every time:
//
//     node examples/make-support-tickets.mjs
import { writeFileSync } from 'node:fs';
import { heldOut, training } from './support-ticket-phrases.mjs';
import { named, things } from './support-ticket-words.mjs';

const SUBJECTS = ['refund', 'delivery', 'damaged', 'order_change', 'account', 'product_question'];

const hard = ['electric', 'furniture', 'kitchen', 'glass'];
const words = {
  ...things,
  hard: joined(hard),
  product: joined(Object.keys(things)),
  ...named,
};

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const random = seeded(20_260_301);

function write(file, count, phrases, choose) {
  const rows = new Map();
  // Texts are unique; subjects take turns, each shuffling its phrases in rounds.
  const rounds = Object.fromEntries(SUBJECTS.map((subject) => [subject, []]));
  for (let turn = 0; rows.size < count; turn += 1) {
    const subject = SUBJECTS[turn % SUBJECTS.length];
    if (rounds[subject].length === 0) rounds[subject] = shuffled(phrases[subject]);
    const row = ticket(subject, rounds[subject].pop(), phrases, choose);
    if (!rows.has(row.text)) rows.set(row.text, row);
  }
  const lines = shuffled([...rows.values()]).map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(new URL(file, import.meta.url), lines.join(''));
}

function ticket(subject, phrase, { openings, endings }, choose) {
  const opening = random() < 0.4 ? pick(openings) : '';
  const ending =
    random() < 0.4 ? pick(endings.filter((each) => !(opening.includes('{me}') && each.includes('{me}')))) : '';
  const body = /(, |ok so )$/.test(opening) ? lowerFirst(phrase) : phrase;
  const parts = filled(careless(opening + body + ending), choose);
  const small = random() < 0.12;
  let text = '';
  const spans = [];
  for (const { label, value } of parts) {
    const written = small ? value.toLowerCase() : value;
    if (label) spans.push({ span: written, label, start: text.length });
    text += written;
  }
  return { text, entities: entities(text, spans), label: subject };
}

/** Writes `[span, label]` if that means the right place (the first that no earlier entity has), else adds the start. */
function entities(text, spans) {
  const used = new Set();
  return spans.map(({ span, label, start }) => {
    let first = text.indexOf(span);
    while (used.has(first)) first = text.indexOf(span, first + 1);
    used.add(start);
    return first === start ? [span, label] : { text: span, label, start };
  });
}

/** The places of a phrase filled in, as a list of plain and labelled parts. `{me}` is one person throughout. */
function filled(phrase, choose) {
  const me = pick(choose(words.person));
  return phrase.split(/(\{\w+\})/).flatMap((part) => {
    const slot = /^\{(\w+)\}$/.exec(part)?.[1];
    if (!slot) return part === '' ? [] : [{ label: null, value: part }];
    if (slot === 'me') return [{ label: 'person', value: me }];
    return [{ label: labelOf(slot), value: VALUES[slot]?.() ?? pick(choose(words[slot])) }];
  });
}

function labelOf(slot) {
  if (slot === 'order') return 'order_number';
  return slot in things || slot === 'hard' ? 'product' : slot;
}

const VALUES = {
  order: () =>
    pick([
      () => `#${digits(5)}`,
      () => `#${digits(6)}`,
      () => `AN-${digits(5)}`,
      () => `${digits(3)}-${digits(7)}`,
      () => digits(8),
      () => `A${digits(4)}-${digits(2)}`,
    ])(),
  money: () =>
    pick([
      () => `$${amount()}`,
      () => `€${amount()}`,
      () => `£${amount()}`,
      () => `${whole()} euros`,
      () => `${amount()} EUR`,
      () => `${whole()} dollars`,
      () => `€ ${whole()}`,
      () => `${whole()}$`,
    ])(),
  date: () =>
    pick([
      () => `${day()} ${pick(MONTHS)}`,
      () => `${pick(MONTHS)} ${day()}`,
      () => `${pick(MONTHS)} ${ordinal(day())}`,
      () => pick(DAYS),
      () => `${twoDigits(day())}/${twoDigits(1 + below(12))}`,
      () => `the ${ordinal(day())}`,
      () => `${twoDigits(day())}.${twoDigits(1 + below(12))}.2026`,
      () => `2026-${twoDigits(1 + below(12))}-${twoDigits(day())}`,
    ])(),
};

const digits = (count) => String(1 + below(9)) + Array.from({ length: count - 1 }, () => below(10)).join('');
const whole = () => pick([12, 15, 18, 20, 25, 29, 35, 40, 49, 60, 75, 89, 99, 120, 140, 199, 250, 320]);
const amount = () => (random() < 0.5 ? String(whole()) : `${whole()}.${pick(['00', '50', '90', '95', '99'])}`);
const day = () => 1 + below(28);
const twoDigits = (number) => String(number).padStart(2, '0');
const ordinal = (number) =>
  `${number}${number % 10 === 1 && number !== 11 ? 'st' : number % 10 === 2 && number !== 12 ? 'nd' : number % 10 === 3 && number !== 13 ? 'rd' : 'th'}`;

/** Makes occasional typing mistakes: two letters swapped, or the last full stop missing. */
function careless(phrase) {
  let text = random() < 0.15 ? phrase.replace(/[.!]$/, '') : phrase;
  if (random() < 0.1) {
    const plain = [...text.matchAll(/(?<![{\w])[a-z]{5,}(?![}\w])/g)];
    const word = plain.length > 0 ? pick(plain) : null;
    if (word) {
      const at = word.index + 1 + below(word[0].length - 2);
      text = text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
    }
  }
  return text;
}

const lowerFirst = (phrase) =>
  /^(I|I'm)\b|^\{|^[A-Z]{2}/.test(phrase) ? phrase : phrase[0].toLowerCase() + phrase.slice(1);

function joined(kinds) {
  const lists = kinds.map((kind) => things[kind]);
  return { known: lists.flatMap((list) => list.known), fresh: lists.flatMap((list) => list.fresh) };
}

function shuffled(list) {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}

function pick(list) {
  return list[below(list.length)];
}

function below(limit) {
  return Math.floor(random() * limit);
}

/** mulberry32 (public domain, Tommy Ettinger): the same numbers on every machine. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

write('support-tickets.jsonl', 700, training, (list) => list.known);
write('support-tickets.held-out.jsonl', 120, heldOut, (list) => (random() < 0.5 ? list.known : list.fresh));
