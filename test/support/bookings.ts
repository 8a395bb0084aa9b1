const NAMES = ['Ann', 'Bob', 'Chen', 'Dora', 'Emil', 'Fatima', 'Goran', 'Hana', 'Ivo', 'Jun'];
const THINGS = ['teas', 'figs', 'pens', 'lamps', 'books', 'maps', 'cups'];

/** Rows with structures that are soon learned, as JSONL: no line item, one or two. @param seed of the first row's values */
export function bookings(count: number, seed = 0): string {
  return Array.from({ length: count }, (_, row) => `${JSON.stringify(booking(seed + row))}\n`).join('');
}

function booking(row: number): object {
  if (row % 9 === 8) return { text: `good morning number ${row % 50}`, json_structures: [] };
  const items = [itemOf(row), itemOf(3 * row + 1)].slice(0, 1 + (row % 2));
  const text = items.map((item) => `order: ${item['how many']} ${item.what} for ${item.for.join(' and ')}`).join('; ');
  return { text, json_structures: items.map((item) => ({ 'line item': item })) };
}

function itemOf(row: number) {
  const [one, other] = [NAMES[row % NAMES.length]!, NAMES[(row + 3) % NAMES.length]!];
  return {
    'how many': `${2 + (row % 7)}`,
    what: THINGS[row % THINGS.length]!,
    for: row % 3 === 0 ? [one, other] : [one],
  };
}
