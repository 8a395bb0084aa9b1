const PEOPLE = ['Ann', 'Bob', 'Chen', 'Dora', 'Emil', 'Hana', 'Ivo'];
const FIRMS = ['Acme', 'Globex', 'Hooli', 'Stark', 'Initech', 'Umbrella'];
const GOODS = ['teas', 'figs', 'pens', 'lamps', 'maps'];

/** Rows in turn with a structure and with a relation, or without any, that are soon learned, as JSONL. */
export function facts(count: number): string {
  return Array.from(
    { length: count },
    (_, row) => `${JSON.stringify(row % 2 ? relationRow(row) : structureRow(row))}\n`,
  ).join('');
}

function structureRow(row: number): object {
  if (row % 9 === 8) return { text: `good morning number ${row}`, json_structures: [] };
  const item = {
    'how many': `${2 + (row % 7)}`,
    what: GOODS[row % GOODS.length]!,
    for: [PEOPLE[row % PEOPLE.length]!],
  };
  const text = `order: ${item['how many']} ${item.what} for ${item.for[0]}`;
  return { text, json_structures: [{ 'line item': item }] };
}

function relationRow(row: number): object {
  const [head, tail] = [PEOPLE[row % PEOPLE.length]!, FIRMS[row % FIRMS.length]!];
  const works = { text: `${head} works for ${tail}.`, relations: [{ 'works for': { head, tail } }] };
  return row % 3 ? works : { text: `${head} never heard of ${tail}.`, relations: [] };
}
