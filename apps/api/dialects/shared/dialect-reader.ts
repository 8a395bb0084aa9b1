import { isPresent, Reader } from '../../validation/reader.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a dialect, and collects the fields that only a provider of the same style can carry
 * (`Verbatim.only`).
 */
export class DialectReader extends Reader {
  readonly only: string[] = [];

  /** Records a field that this installation does not translate, unless it has no effect: null, or empty. */
  carry(value: unknown, path: Path): void {
    // A hundred names are enough for a refusal.
    if (this.only.length < 100 && !saysNothing(value)) this.only.push(path.join('.'));
  }

  /** Records all fields of a nested object that are not known. */
  carryOthers(fields: object, known: ReadonlySet<string>, path: Path): void {
    for (const name of Object.keys(fields)) if (!known.has(name)) this.carry((fields as Fields)[name], [...path, name]);
  }
}

const saysNothing = (value: unknown): boolean =>
  !isPresent(value) || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
