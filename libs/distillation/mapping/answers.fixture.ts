import { Dice, NAMES } from '../tasks/prompts.fixture.js';
import type { TextAnswer } from './mapping.js';

/** A generated call, with what a mapping should say of it. */
export type Answers = (dice: Dice) => { readonly text: string; readonly answer: string; readonly label?: string };

export function answered(
  shape: Answers,
  count: number,
  seed: number,
  tool: string | null = null,
): readonly (TextAnswer & { label?: string })[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, () => {
    const { text, answer, label } = shape(dice);
    return { text, answer: { tool, text: answer }, at: '2026-05-01T00:00:00Z', ...(label !== undefined && { label }) };
  });
}

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
const two = (value: number) => String(value).padStart(2, '0');

/** A day in several spellings, and as ISO 8601. */
export function day(dice: Dice) {
  const [month, date] = [1 + dice.number(12), 13 + dice.number(15)];
  const name = MONTHS[month - 1]!;
  const said = dice.pick([
    `${date} ${name} 2026`,
    `${name} ${date}, 2026`,
    `${date}.${two(month)}.2026`,
    `${date} ${name}`,
    `${name.slice(0, 3)} ${date}`,
  ]);
  return { said, iso: `2026-${two(month)}-${two(date)}` };
}

/** An amount with thousands, and its number. */
export function amount(dice: Dice) {
  const value = (1_000 + dice.number(900_000)) / 100;
  const [whole, cents] = value.toFixed(2).split('.') as [string, string];
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return {
    said: dice.pick([`$${thousands}.${cents}`, `${thousands}.${cents} USD`, `${whole}.${cents} dollars`]),
    value,
  };
}

const PRODUCTS = [
  'oak table',
  'desk lamp',
  'garden chair',
  'espresso cup',
  'wool blanket',
  'wall clock',
  'steel bottle',
  'travel bag',
  'linen shirt',
  'glass vase',
  'paper tray',
  'photo frame',
  'door mat',
  'hand mirror',
  'soup bowl',
  'bread knife',
];
const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const CITIES = [
  'Lisbon',
  'Oslo',
  'Kyiv',
  'Turin',
  'Leeds',
  'Graz',
  'Ghent',
  'Porto',
  'Malmö',
  'Sofia',
  'Riga',
  'Basel',
  'Cork',
  'Nantes',
];
const FIRST = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gia', 'Hugo', 'Ines', 'Jon', 'Kim', 'Leo'];
const LAST = ['Marsh', 'Novak', 'Ortiz', 'Pham', 'Quinn', 'Rossi', 'Stone', 'Tran', 'Usman', 'Vega', 'Weber', 'Young'];
export const person = (dice: Dice): string => `${dice.pick(FIRST)} ${dice.pick(LAST)}`;

export function order(dice: Dice) {
  const used = new Set<string>();
  const items = Array.from({ length: 1 + dice.number(3) }, () => {
    let product = dice.pick(PRODUCTS);
    while (used.has(product)) product = dice.pick(PRODUCTS);
    used.add(product);
    return { product, quantity: 2 + dice.number(8) };
  });
  // Each quantity once: which of two equal ones is meant is nothing that a row can say.
  const said = items.map(({ product, quantity }) => `${dice.chance(0.5) ? quantity : WORDS[quantity]} ${product}s`);
  const by = person(dice);
  const to = dice.pick(CITIES);
  return {
    text: `${by} here, please send ${said.join(', ')} to ${to}${dice.pick(['.', ', thanks!', ' soon.'])}`,
    items,
    by,
    to,
  };
}

export function invoice(dice: Dice) {
  const [issued, total, number] = [day(dice), amount(dice), `INV-${1_000 + dice.number(9_000)}`];
  const vendor = dice.pick(NAMES);
  const isPaid = dice.chance(0.4);
  const text = `Invoice ${number} of ${vendor}, issued ${issued.said}. Amount due: ${total.said}. ${isPaid ? 'Already settled, thank you.' : 'Please transfer within 30 days.'}`;
  return { text, number, vendor, issued: issued.iso, total: total.value, isPaid };
}

const LABELS = [
  'card_arrival',
  'lost_card',
  'top_up_failed',
  'refund_request',
  'exchange_rate',
  'cash_withdrawal',
  'pin_blocked',
  'close_account',
];
const DRESS: readonly ((label: string) => string)[] = [
  (label) => label,
  (label) => label.replaceAll('_', ' '),
  (label) => label.toUpperCase(),
  (label) => `"${label}"`,
  (label) => `**${label}**`,
  (label) => `\`\`\`\n${label}\n\`\`\``,
  (label) => `Label: ${label}`,
  (label) => `The label is ${label}.`,
  (label) => `Category: **${label.replaceAll('_', '-')}**`,
  (label) => `${label} - the customer says so`,
  (label) => `${label} because the text says so`,
  (label) => `${label}\n\nThe customer asks about this.`,
];

export const spelled: Answers = (dice) => {
  const label = dice.pick(LABELS);
  return { text: `text ${dice.number(1e6)}`, answer: dice.chance(0.6) ? label : dice.pick(DRESS)(label), label };
};
export const fenced: Answers = (dice) => {
  const label = dice.pick(LABELS);
  return { text: `text ${dice.number(1e6)}`, answer: `\`\`\`\n${label}\n\`\`\``, label };
};
export const several: Answers = (dice) => {
  const labels = LABELS.filter(() => dice.chance(0.3));
  const answer = (labels.length === 0 ? ['pin_blocked'] : labels).join(', ');
  return { text: `text ${dice.number(1e6)}`, answer, label: answer };
};
/** `JSON.stringify` as Python's `json.dumps` writes it. */
export const python = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
