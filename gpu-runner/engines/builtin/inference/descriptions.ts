import type { InferSchema, InferWarning } from '../../engine.js';

/** Names that a warning lists; it counts the others. */
const MAX_NAMES = 5;

/** A warning for each head of a schema that has descriptions: these heads go by names alone. */
export function unusedDescriptions({ entities, classifications, structures, relations }: InferSchema): InferWarning[] {
  const described = (items: readonly { readonly name: string; readonly description?: string }[] = []) =>
    items.flatMap(({ name, description }) => (description === undefined ? [] : [name]));
  return [
    ...unused('entities', described(entities)),
    ...unused(
      'classifications',
      (classifications ?? []).flatMap(({ descriptions = [] }) => descriptions.map(({ label }) => label)),
    ),
    ...unused(
      'structures',
      (structures ?? []).flatMap(({ name, fields }) => described(fields).map((field) => `${name}.${field}`)),
    ),
    ...unused('relations', described(relations)),
  ];
}

function unused(head: string, names: readonly string[]): InferWarning[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name.slice(0, 100)));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [
    {
      code: 'unused_description',
      message: `The descriptions in ${head} are not used: of ${shown.join(', ')}${more} the model reads the names alone.`,
    },
  ];
}
