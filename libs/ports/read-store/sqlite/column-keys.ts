import { keysOf, shown } from '../grouping.js';
import type { GroupKey, Scalar } from '../port.js';

/** The keys that the rows of a column have in a grouping. */
export interface RowKeys {
  readonly keys: ColumnKeys;
  /** The key of a row, as `ColumnKeys.of` gives it. */
  of(row: number): number;
}

/** Numbers the keys of a column in a grouping: from 0, in the order in which they are met. */
export class ColumnKeys {
  private readonly known = new Map<Scalar, number>();
  private readonly values: Scalar[] = [];
  private readonly lists: (readonly number[])[] = [];

  constructor(private readonly key: GroupKey) {}

  /** The key of a value; a negative number stands for the list of keys of a value with several words. */
  of(value: Scalar): number {
    const keys = keysOf(this.key, value).map((each) => this.number(each));
    return keys.length === 1 ? keys[0]! : -this.lists.push(keys);
  }

  /** The keys that a negative number stands for. */
  list(key: number): readonly number[] {
    return this.lists[-key - 1]!;
  }

  /** The value of the groups of a key. */
  value(key: number): Scalar {
    return this.values[key]!;
  }

  private number(value: Scalar): number {
    let key = this.known.get(value);
    if (key === undefined) {
      this.known.set(value, (key = this.values.length));
      this.values.push(shown(this.key, value));
    }
    return key;
  }
}

/** The keys of a field that is null in all rows. */
export function keysOfNull(key: GroupKey): RowKeys {
  const keys = new ColumnKeys(key);
  const none = keys.of(null);
  return { keys, of: () => none };
}
