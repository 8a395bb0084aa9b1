import type { Example, LabelledField, LabelledRecord, Stretch } from '../../engine.js';
import { Choices } from './choices.js';
import type { FieldName } from './names.js';

/** Which text between a record and its neighbours tells about it: that on both sides, or on one. */
export const WINDOWS = ['both', 'before', 'after'] as const;
export type Window = (typeof WINDOWS)[number];

/** The class of a record without the field. No choice is empty. */
export const NO_CHOICE = '';

/** Characters beside a stretch that are read with it. */
const BESIDE = 60;

/** The text by which the choice that a stretch says is known: the stretch, and what stands beside it. */
export const saidText = (text: string, { start, end }: Stretch): string =>
  `${text.slice(start, end)} | ${text.slice(Math.max(0, start - BESIDE), end + BESIDE)}`;

/**
 * The text by which a choice is known that no stretch says: a record with what stands between it and its neighbours.
 * @param records the stretches that the records of the structure cover, in text order
 */
export function windowText(text: string, records: readonly Stretch[], index: number, window: Window): string {
  const { start, end } = records[index]!;
  const from = window === 'after' ? start : (records[index - 1]?.end ?? 0);
  const to = window === 'before' ? end : (records[index + 1]?.start ?? text.length);
  return text.slice(Math.min(from, start), Math.max(to, end));
}

/** The stretch that values cover together. */
export const extentOf = (values: readonly Stretch[]): Stretch => ({
  start: Math.min(...values.map(({ start }) => start)),
  end: Math.max(...values.map(({ end }) => end)),
});

/** What the rows show of a field with choices. */
export interface ChoiceFacts {
  /** Whether each of its values is said by a stretch, so that without one the field has no value. */
  readonly isSaid: boolean;
  /** Whether records of its structure may have no place in the text at all. */
  readonly isPlaceless: boolean;
}

/** How the choices of a field are known. */
export interface ChoiceShape extends ChoiceFacts {
  readonly window: Window;
}

/**
 * Texts with the choice that each means, as a classifier learns them: one for each stretch that says a choice, and one
 * for each record where the rows do not always tell that stretch.
 */
export function choiceTexts(
  rows: readonly Example[],
  name: FieldName,
  { isSaid, isPlaceless }: ChoiceFacts,
  window: Window,
): Example[] {
  const canonical = canonicalOf(rows, name);
  return rows.flatMap(({ text, structures = [] }) => {
    const records = structures.filter((record) => record.name === name.structure);
    const said = records.flatMap((record) =>
      (fieldOf(record, name)?.values ?? []).map((value) => ({
        text: saidText(text, value),
        labels: [value.choice ?? canonical(text.slice(value.start, value.end))],
      })),
    );
    if (isSaid) return said;
    const whole = records.length === 0 && isPlaceless ? [{ text, labels: [NO_CHOICE] }] : [];
    return [
      ...said,
      ...whole,
      ...recordTexts(text, records, window, (record) => choiceOf(text, fieldOf(record, name), canonical)),
    ];
  });
}

function recordTexts(
  text: string,
  records: readonly LabelledRecord[],
  window: Window,
  choice: (record: LabelledRecord) => string,
): Example[] {
  // Of several records without a place none can be told from the others.
  if (records.length === 1 && placesOf(records[0]!).length === 0) return [{ text, labels: [choice(records[0]!)] }];
  const placed = records
    .map((record) => ({ record, places: placesOf(record) }))
    .filter(({ places }) => places.length > 0)
    .map(({ record, places }) => ({ record, extent: extentOf(places) }))
    .sort((a, b) => a.extent.start - b.extent.start);
  const extents = placed.map(({ extent }) => extent);
  return placed.map(({ record }, index) => ({
    text: windowText(text, extents, index, window),
    labels: [choice(record)],
  }));
}

export const fieldOf = ({ fields }: LabelledRecord, { field }: FieldName): LabelledField | undefined =>
  fields.find(({ name }) => name === field);

export const placesOf = ({ fields }: LabelledRecord): readonly Stretch[] => fields.flatMap(({ values }) => values);

function choiceOf(text: string, field: LabelledField | undefined, canonical: (value: string) => string): string {
  const [value] = field?.values ?? [];
  return field?.choices?.[0] ?? value?.choice ?? (value ? canonical(text.slice(value.start, value.end)) : NO_CHOICE);
}

/** A value that a row has as text, as the choice that is written so in other rows. */
function canonicalOf(rows: readonly Example[], name: FieldName): (value: string) => string {
  const choices = new Choices(
    rows.flatMap(({ structures = [] }) =>
      structures
        .filter((record) => record.name === name.structure)
        .flatMap((record) => {
          const field = fieldOf(record, name);
          return [...(field?.choices ?? []), ...(field?.values ?? []).flatMap(({ choice }) => choice ?? [])];
        }),
    ),
  );
  return (value) => choices.find(value) ?? value;
}
