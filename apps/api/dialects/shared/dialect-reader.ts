import { isHint } from '#calls/hosted/dropped.js';
import { Reader } from '#primitives/reader.js';
import { isPresent } from '#primitives/values.js';

/** Enough for an answer that names them. */
const MAX_NAMES = 100;

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a dialect, and collects the fields that only a provider of the same style can carry
 * (`Verbatim.only`).
 */
export class DialectReader extends Reader {
  readonly only: string[] = [];
  private readonly counts = { hints: 0, others: 0 };

  /** Records a field that this installation leaves untranslated. A null or empty one has no effect, and is skipped. */
  carry(value: unknown, path: Path): void {
    if (saysNothing(value)) return;
    const name = path.join('.');
    // Hints are counted separately: many of them must not hide a refused field.
    const kind = isHint(name) ? 'hints' : 'others';
    this.counts[kind] += 1;
    if (this.counts[kind] <= MAX_NAMES) this.only.push(name);
  }

  /** Records all fields of a nested object that are not known. */
  carryOthers(fields: object, known: ReadonlySet<string>, path: Path): void {
    for (const name of Object.keys(fields)) if (!known.has(name)) this.carry((fields as Fields)[name], [...path, name]);
  }
}

const saysNothing = (value: unknown): boolean =>
  !isPresent(value) || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
