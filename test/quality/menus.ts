/**
 * Rows made for this project with several records in each text, of which some lack a field. A third of the dishes of the
 * test rows are of a kind that no training row has, and easily missed: what follows them must stay with its own record.
 */
import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Row } from './row.js';

const FIRST = ['miso', 'tomato', 'lentil', 'onion', 'pumpkin', 'fish', 'chicken', 'beef', 'veggie', 'garlic'];
const SECOND = ['soup', 'curry', 'burger', 'noodles', 'salad', 'pie', 'rolls', 'stew'];
const UNSEEN = ['Set A', 'Set B', 'Chef special', 'Combo 3', 'Kids box', 'Number 7', 'Daily deal'];

function rows(count: number, unseen: number, seed: number): Row[] {
  const random = new Random(seed);
  const oneOf = (list: readonly string[]): string => list[random.below(list.length)]!;
  const distinct = (many: number, make: () => string): readonly string[] => {
    const made = new Set<string>();
    while (made.size < many) made.add(make());
    return [...made];
  };
  return Array.from({ length: count }, () => {
    const many = 2 + random.below(3);
    const dishes = distinct(many, () => (random.next() < unseen ? oneOf(UNSEEN) : `${oneOf(FIRST)} ${oneOf(SECOND)}`));
    const prices = distinct(many, () => `${2 + random.below(18)}.${oneOf(['00', '50', '90'])}`);
    const records = dishes.map((dish, at): Record<string, string> =>
      random.next() < 0.15 ? { dish } : { dish, price: prices[at]! },
    );
    const text =
      oneOf(['Menu: ', 'Today: ', '', 'We have ']) +
      records
        .map(({ dish, price }) => (price === undefined ? dish : `${dish} ${price}`))
        .join(oneOf([', ', '; ', '\n', ' / ']));
    return { text, json_structures: records.map((item) => ({ item })) };
  });
}

export const menus = { train: () => rows(300, 0, 1), test: () => rows(300, 0.33, 2) };
