import type { Example, LabelledRecord } from '../../engine.js';

const CITIES = ['Berlin', 'Paris', 'Madrid', 'Oslo', 'Lima', 'Rome', 'Kyiv', 'Cairo'];

/** Rows with a structure `trip` of the scalars `from` and `to` and the list `with`: none, one or two in each text. */
export const tripRows: readonly Example[] = CITIES.flatMap((from, index) => {
  const to = CITIES[(index + 3) % CITIES.length]!;
  const back = CITIES[(index + 5) % CITIES.length]!;
  return [
    tripRow([{ from, to }], (trip) => `please fly from ${trip(0, 'from')} to ${trip(0, 'to')} today`),
    tripRow(
      [
        { from, to },
        { from: to, to: back },
      ],
      (trip) =>
        `fly from ${trip(0, 'from')} to ${trip(0, 'to')} and then from ${trip(1, 'from')} to ${trip(1, 'to')} please`,
    ),
    tripRow([{ from, to, with: ['Ann', 'Bob'] }], (trip) =>
      [`go from ${trip(0, 'from')} to ${trip(0, 'to')}`, `with ${trip(0, 'with', 0)} and ${trip(0, 'with', 1)}`].join(
        ' ',
      ),
    ),
    { text: `hello number ${index}`, structures: [] },
  ];
});

type Trip = { readonly from: string; readonly to: string; readonly with?: readonly string[] };

/** @param write the text, from what marks the place of a value */
export function tripRow(
  trips: readonly Trip[],
  write: (place: (trip: number, field: keyof Trip, entry?: number) => string) => string,
): Example {
  const marked = write((trip, field, entry = 0) => `<${trip} ${field} ${entry}>`);
  const places = new Map<string, { start: number; end: number }>();
  let text = '';
  for (const [, before = '', mark] of marked.matchAll(/([^<]*)(?:<([^>]*)>)?/g)) {
    text += before;
    if (mark === undefined) continue;
    const [trip, field, entry] = mark.split(' ') as [string, keyof Trip, string];
    const value = [trips[Number(trip)]![field]!].flat()[Number(entry)]!;
    places.set(mark, { start: text.length, end: text.length + value.length });
    text += value;
  }
  const structures = trips.map((trip, index): LabelledRecord => ({
    name: 'trip',
    fields: (Object.entries(trip) as [keyof Trip, string | readonly string[]][]).map(([name, value]) => ({
      name,
      isList: Array.isArray(value),
      values: [value].flat().map((_, entry) => places.get(`${index} ${name} ${entry}`)!),
    })),
  }));
  return { text, structures };
}
