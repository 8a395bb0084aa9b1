import { isPresent, Reader } from '../../validation/reader.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/** Reads the body of a dialect, and collects what of it nothing but a provider of the same style carries (`Verbatim.only`). */
export class DialectReader extends Reader {
  readonly only: string[] = [];

  /** Notes a field that this installation does not translate. What says nothing is left out: null, and what is empty. */
  carry(value: unknown, path: Path): void {
    // A hundred names are enough for a refusal.
    if (this.only.length < 100 && !saysNothing(value)) this.only.push(path.join('.'));
  }

  /** Notes all fields of a nested object but those. */
  carryOthers(fields: object, known: ReadonlySet<string>, path: Path): void {
    for (const name of Object.keys(fields)) if (!known.has(name)) this.carry((fields as Fields)[name], [...path, name]);
  }
}

const saysNothing = (value: unknown): boolean =>
  !isPresent(value) || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
