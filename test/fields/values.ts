/** A step of a path: a field, and which items of it (`content[text]`). */
const STEP = /([^.[\]]+)(?:\[([^\]]+)\])?/g;

/** All values at a path of `FieldTable` in a body; lists are looked through. */
export function valuesAt(body: unknown, path: string): readonly unknown[] {
  let values: readonly unknown[] = [body];
  for (const [, name = '', kind] of path.matchAll(STEP)) {
    const below = values.flatMap((value) => fieldOf(value, name));
    values = kind === undefined ? below : itemsOf(below).filter((item) => isKind(item, kind));
  }
  return values;
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldOf(item, name));
  // A word of a list, such as `include`.
  if (value === name) return [value];
  if (typeof value !== 'object' || value === null || !(name in value)) return [];
  return [(value as Readonly<Record<string, unknown>>)[name]];
}

/** A text in place of content parts is one text part. */
const itemsOf = (values: readonly unknown[]): readonly unknown[] =>
  values.flat().map((value) => (typeof value === 'string' ? { type: 'text', text: value } : value));

function isKind(item: unknown, kind: string): boolean {
  if (typeof item !== 'object' || item === null) return false;
  const { type, role } = item as { readonly type?: unknown; readonly role?: unknown };
  return type === kind || role === kind;
}
