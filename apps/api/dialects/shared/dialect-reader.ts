import { isRecord, kindOf, Reader } from '../../validation/reader.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/** Reads the body of a dialect, and collects what of it nothing but a provider of the same style carries (`Verbatim.only`). */
export class DialectReader extends Reader {
  readonly only: string[] = [];

  /** Notes a field that this installation does not translate. What says nothing is left out: null, and what is empty. */
  carry(value: unknown, path: Path): void {
    // Whoever is refused needs no more than the first hundred names.
    if (this.only.length < 100 && !saysNothing(value)) this.only.push(path.join('.'));
  }

  /** Notes all fields of a nested object but those. */
  carryOthers(fields: Fields, known: ReadonlySet<string>, path: Path): void {
    for (const name of Object.keys(fields)) if (!known.has(name)) this.carry(fields[name], [...path, name]);
  }

  /** A text that may be empty. */
  text(value: unknown, path: Path, what = 'a text'): string {
    return value === '' ? '' : this.string(value, path, what);
  }

  /** A required object. */
  record(value: unknown, path: Path, what: string): Fields {
    if (isRecord(value)) return value;
    if (!isPresent(value)) this.refuse(path, `is required: ${what}`, 'missing');
    else this.refuse(path, `must be ${what}, not ${kindOf(value)}`, 'wrong_type');
    return {};
  }

  /** A list of at most `most`; undefined where there is none. */
  list(value: unknown, path: Path, what: string, most: number): readonly unknown[] | undefined {
    if (!isPresent(value)) return undefined;
    if (!Array.isArray(value)) {
      this.refuse(path, `must be a list of ${what}, not ${kindOf(value)}`, 'wrong_type');
      return undefined;
    }
    if (value.length > most)
      this.refuse(path, `must hold at most ${most} ${what}, not ${value.length}`, 'out_of_range');
    return value.slice(0, most) as readonly unknown[];
  }
}

/** null for an optional field is as good as none. */
export const isPresent = (value: unknown): value is NonNullable<unknown> => value !== undefined && value !== null;

const saysNothing = (value: unknown): boolean =>
  !isPresent(value) || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
