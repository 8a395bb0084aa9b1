import { Random } from '#gpu-runner/engines/builtin/random.js';

/** A text that is asked about, and what the teacher answers. */
export interface AnsweredText {
  readonly text: string;
  readonly answer: string;
}

const PRODUCTS = ['oak table', 'desk lamp', 'garden chair', 'espresso cup', 'wool blanket', 'wall clock', 'soup bowl'];
const MORE = ['steel bottle', 'travel bag', 'linen shirt', 'glass vase', 'paper tray', 'photo frame', 'bread knife'];
const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const CITIES = ['Lisbon', 'Oslo', 'Kyiv', 'Turin', 'Leeds', 'Graz', 'Ghent', 'Porto', 'Malmö', 'Sofia', 'Riga', 'Cork'];
const FIRST = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gia', 'Hugo', 'Ines', 'Jon', 'Kim', 'Leo', 'Mia', 'Nils'];
const LAST = ['Marsh', 'Novak', 'Ortiz', 'Pham', 'Quinn', 'Rossi', 'Stone', 'Tran', 'Usman', 'Vega', 'Weber', 'Young'];
/** `by`, `items` and `to` of an order. */
const TEMPLATES = [
  '{by} here, please send {items} to {to}.',
  'Order for {by}: {items}, to be shipped to {to}',
  'Could you ship {items} to {to}? It is for {by}.',
  'We need {items} in {to} by Friday, attention {by}',
  'Hello, {by} from {to} would like {items}, thanks!',
  'To {to}: {items}. Regards, {by}',
];

/** Orders of one to three items, made from templates. Each text once. */
export function orderCalls(count: number, seed: number): readonly AnsweredText[] {
  const random = new Random(seed);
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const made = new Map<string, AnsweredText>();
  while (made.size < count) {
    const products = random.shuffle([...PRODUCTS, ...MORE]).slice(0, 1 + random.below(3));
    const items = products.map((product) => ({ product, quantity: 2 + random.below(8) }));
    const [customer, city] = [`${pick(FIRST)} ${pick(LAST)}`, pick(CITIES)];
    const said = items.map(
      ({ product, quantity }) => `${random.next() < 0.5 ? quantity : WORDS[quantity]!} ${product}s`,
    );
    const text = pick(TEMPLATES)
      .replace('{by}', customer)
      .replace('{to}', city)
      .replace('{items}', said.join(random.next() < 0.5 ? ', ' : ' and '));
    made.set(text, { text, answer: JSON.stringify({ customer, city, items }) });
  }
  return [...made.values()];
}
