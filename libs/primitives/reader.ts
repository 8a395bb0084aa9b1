import { InvalidError, type InvalidField } from '#domain/errors.js';
import { isRecord } from './values.js';

export type Path = readonly (string | number)[];
const MAX_PROBLEMS = 100;

/**
 * Collects all problems of a body, so that a client sees them at once. Every method returns a usable value even when it
 * notes a problem; `done` throws if there was one.
 */
export class Reader {
  readonly problems: InvalidField[] = [];

  /** A client that sends ten thousand bad labels needs only the first hundred of them. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS;
  }

  /** @throws InvalidError naming every field that was refused */
  done(): void {
    if (this.problems.length > 0) throw new InvalidError(this.problems);
  }

  refuse(path: Path, message: string, type: string): void {
    if (!this.isFull) this.problems.push({ path: ['body', ...path], message, type });
  }

  /** The fields of a body; refuses one that is no object, and fields that are not listed. */
  fields(body: unknown, names: ReadonlySet<string>): Readonly<Record<string, unknown>> {
    const fields = isRecord(body) ? body : {};
    if (fields !== body) this.refuse([], 'must be a JSON object', 'wrong_type');
    this.known(fields, names, []);
    return fields;
  }

  /** Refuses the fields of an object that are not listed. */
  known(object: Readonly<Record<string, unknown>>, names: ReadonlySet<string>, path: Path): void {
    for (const name of Object.keys(object))
      if (!names.has(name)) this.refuse([...path, name], 'is not a field of this request', 'unknown_field');
  }

  string(value: unknown, path: Path, what = 'a string'): string {
    if (value === undefined) this.refuse(path, `is required and must be ${what}`, 'missing');
    else if (typeof value !== 'string') this.refuse(path, `must be ${what}, not ${kindOf(value)}`, 'wrong_type');
    else if (value === '') this.refuse(path, `must be ${what}, not empty`, 'out_of_range');
    else return value;
    return '';
  }

  /** A number from `least` to `most`. */
  number(value: unknown, path: Path, [least, most]: readonly [number, number]): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'number') this.refuse(path, `must be a number, not ${kindOf(value)}`, 'wrong_type');
    else if (value < least || value > most)
      this.refuse(path, `must be from ${least} to ${most}, not ${value}`, 'out_of_range');
    else return value;
    return undefined;
  }

  integer(value: unknown, path: Path, bounds: readonly [number, number]): number | undefined {
    const number = this.number(value, path, bounds);
    if (number === undefined || Number.isInteger(number)) return number;
    this.refuse(path, `must be a whole number, not ${number}`, 'wrong_type');
    return undefined;
  }

  oneOf<T extends string>(value: unknown, path: Path, choices: readonly T[]): T | undefined {
    if (value === undefined || value === null) return undefined;
    if (choices.includes(value as T)) return value as T;
    this.refuse(path, `must be one of ${choices.join(', ')}`, 'not_allowed');
    return undefined;
  }
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A text of the client as errors show it, cut after 60 characters. */
export const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
