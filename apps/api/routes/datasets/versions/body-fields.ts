import { ValidateBy } from 'class-validator';
import { isMappable, MAPPABLE_COLUMNS } from '#rows/formats/index.js';
import { DATASET_NAME, ON_ERROR } from '#domain/dataset/index.js';
import { bodyField, BodyOneOf, BodyTextLike } from '../../../edge/validation/index.js';

const MAX_COLUMN_NAME_CHARACTERS = 200;

export const DatasetName = (about: { readonly optional?: boolean; readonly description: string }): PropertyDecorator =>
  BodyTextLike(DATASET_NAME, '1 to 128 letters, digits, spaces or any of . _ -', about);

/** `{text: "sentence", label: "intent"}`: native columns, each with its name in the file. */
export const ColumnMapping = (): PropertyDecorator =>
  bodyField(
    {
      ...{ optional: true, type: 'object', additionalProperties: { type: 'string' } },
      example: { text: 'sentence', label: 'intent' },
      description: "Map from Anneal's columns to columns of the file.",
    },
    ValidateBy({
      name: 'isColumnMapping',
      validator: {
        validate: (value: unknown) => problemOf(value) === null,
        defaultMessage: (args) => `$property ${problemOf(args?.value) ?? 'is not valid'}`,
      },
    }),
  );

/** Whether invalid rows fail a version, or are left out of it. */
export const OnErrorField = (): PropertyDecorator =>
  BodyOneOf(ON_ERROR, {
    optional: true,
    description:
      '`skip`: rows that are not valid are left out, and `left_out` of the version tells of them; `fail`: one of them fails the version. Default: up to 5 of 100 rows are left out, more fail it.',
  });

/** `{label: ["negative", "positive"]}`: columns of the file, each with the names for its numbers. */
export const LabelNamesField = (): PropertyDecorator =>
  bodyField(
    {
      ...{ optional: true, type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      example: { label: ['negative', 'positive'] },
      description: 'Map from columns of the file to the names of their numbers 0, 1, ...',
    },
    ValidateBy({
      name: 'isLabelNames',
      validator: {
        validate: (value: unknown) => problemOfNames(value) === null,
        defaultMessage: (args) => `$property ${problemOfNames(args?.value) ?? 'is not valid'}`,
      },
    }),
  );

function problemOfNames(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object like {"label": ["negative", "positive"]}';
  for (const [column, names] of Object.entries(value)) {
    const named = JSON.stringify(column.slice(0, 60));
    if (column === '') return 'must name at least one column';
    if (!Array.isArray(names) || names.length === 0 || !names.every(isName))
      return `must give ${named} a list of names, beginning with the name of 0`;
    if (new Set(names).size < names.length) return `gives two numbers of ${named} the same name; each needs its own`;
  }
  return null;
}

const isName = (name: unknown): boolean => typeof name === 'string' && name.trim() !== '';

function problemOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object like {"text": "sentence"}';
  const columns = new Set<unknown>();
  for (const [ours, theirs] of Object.entries(value)) {
    if (!isMappable(ours))
      return `has the key ${JSON.stringify(ours.slice(0, 60))}; its keys may be ${MAPPABLE_COLUMNS.join(', ')}, or labels.<task>`;
    if (typeof theirs !== 'string' || theirs === '' || theirs.length > MAX_COLUMN_NAME_CHARACTERS)
      return `must give ${ours} the name of a column: a string of 1 to ${MAX_COLUMN_NAME_CHARACTERS} characters`;
    if (columns.has(theirs)) return `gives the column ${JSON.stringify(theirs.slice(0, 60))} two names`;
    columns.add(theirs);
  }
  return null;
}
