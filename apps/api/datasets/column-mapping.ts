import { ValidateBy } from 'class-validator';
import { MAPPABLE_COLUMNS } from '#dataset-formats/index.js';

const LONGEST = 200;

/** `{text: "sentence", label: "intent"}`: columns of ours, each with the name that it has in the file. */
export const IsColumnMapping = (): PropertyDecorator =>
  ValidateBy({
    name: 'isColumnMapping',
    validator: {
      validate: (value: unknown) => problemOf(value) === null,
      defaultMessage: (args) => `$property ${problemOf(args?.value) ?? 'is not valid'}`,
    },
  });

function problemOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'must be an object like {"text": "sentence"}';
  const columns = new Set<unknown>();
  for (const [ours, theirs] of Object.entries(value)) {
    if (!MAPPABLE_COLUMNS.includes(ours))
      return `names ${JSON.stringify(ours.slice(0, 60))}; it may name ${MAPPABLE_COLUMNS.join(', ')}`;
    if (typeof theirs !== 'string' || theirs === '' || theirs.length > LONGEST)
      return `must give ${ours} the name of a column: a string of 1 to ${LONGEST} characters`;
    if (columns.has(theirs)) return `gives the column ${JSON.stringify(theirs.slice(0, 60))} two names`;
    columns.add(theirs);
  }
  return null;
}
