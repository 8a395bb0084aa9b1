import { isUtf8 } from 'node:buffer';
import { DataType, TimeUnit, Type, Vector, type Data } from 'apache-arrow';
import type { Json } from '#domain/json.js';
import { inBytes, UnreadableFileError, type FileLimits } from '../../limits.js';

/** The value in a row, counted from 0. */
type ReadValue = (row: number) => Json;

const MAX_DEPTH = 32;
const MS_PER_DAY = 86_400_000;
/** Digits after the decimal point of seconds, by unit. */
const DIGITS = { [TimeUnit.SECOND]: 0, [TimeUnit.MILLISECOND]: 3, [TimeUnit.MICROSECOND]: 6, [TimeUnit.NANOSECOND]: 9 };

/** Limits the bytes of one row before it is created: offsets of a damaged file may refer to one text many times. */
export class RowBudget {
  private left = 0;

  constructor(private readonly limits: FileLimits) {}

  begin(): void {
    this.left = this.limits.rowBytes;
  }

  /** @throws UnreadableFileError */
  take(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0)
      throw new UnreadableFileError(
        `a row is longer than ${inBytes(this.limits.rowBytes)}, the most that one row may be`,
      );
  }
}

/**
 * Reads a column as JSON values, in the forms of `jsonExpression` for Parquet: whole numbers beyond a double's
 * precision, and decimals of more than 15 digits, as text; times as ISO 8601; NaN and infinities as null; maps as
 * objects.
 * @param at path to the value, from the column's name, for messages
 * @throws UnreadableFileError for values that JSON cannot represent, and (while reading) for columns shorter than their
 * rows
 */
export function columnReader(data: Data, at: string, budget: RowBudget, depth = 0): ReadValue {
  if (depth > MAX_DEPTH) throw new UnreadableFileError(`the column ${short(at)} nests deeper than ${MAX_DEPTH} levels`);
  const { nullBitmap } = data;
  if (nullBitmap && nullBitmap.length > 0 && nullBitmap.length * 8 < data.length) throw damaged(at);
  const read = valueReader(data, at, budget, depth);
  return (row) => {
    budget.take(2);
    return data.getValid(row) ? read(row) : null;
  };
}

function valueReader(data: Data, at: string, budget: RowBudget, depth: number): ReadValue {
  const { type } = data;
  const inside = (child: number, name: string) => {
    const values = data.children[child];
    if (!values) throw damaged(at);
    return { length: values.length, read: columnReader(values, name, budget, depth + 1) };
  };
  if (DataType.isNull(type)) return () => null;
  if (DataType.isBool(type)) return (row) => ((cell<number>(data, row >> 3, at) >> (row & 7)) & 1) === 1;
  if (DataType.isInt(type) || DataType.isDuration(type)) return (row) => wholeNumber(cell(data, row, at));
  if (DataType.isFloat(type)) {
    const vector = new Vector([data]);
    return (row) => {
      cell(data, row, at);
      const number = vector.get(row) as number;
      return Number.isFinite(number) ? number : null;
    };
  }
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return textReader(data, at, budget);
  if (DataType.isUtf8View(type)) {
    const vector = new Vector([data]);
    return (row) => {
      const text = vector.get(row) as string | null;
      if (typeof text !== 'string') throw damaged(at);
      budget.take(text.length);
      return text;
    };
  }
  if (DataType.isDecimal(type)) {
    const [words, { scale, precision }] = [type.bitWidth / 32, type];
    return (row) => {
      let value = 0n;
      for (let word = words - 1; word >= 0; word -= 1)
        value = (value << 32n) | BigInt(cell(data, row * words + word, at));
      const text = decimal(BigInt.asIntN(type.bitWidth, value), scale);
      return precision <= 15 ? Number(text) : text;
    };
  }
  if (DataType.isDate(type)) {
    const unit = data.values instanceof Int32Array ? MS_PER_DAY : 1;
    return (row) => moment(BigInt(cell(data, row, at)) * BigInt(unit), 3).slice(0, -'T00:00:00'.length);
  }
  if (DataType.isTimestamp(type)) {
    const [digits, zone] = [DIGITS[type.unit], type.timezone ? 'Z' : ''];
    return (row) => `${moment(BigInt(cell(data, row, at)), digits)}${zone}`;
  }
  if (DataType.isTime(type)) {
    const digits = DIGITS[type.unit];
    return (row) => moment(BigInt(cell(data, row, at)), digits).split('T')[1]!;
  }
  if (DataType.isDictionary(type)) {
    const { dictionary } = data;
    if (!dictionary) throw damaged(at);
    const parts = dictionary.data.map((part) => ({
      length: part.length,
      read: columnReader(part as Data, at, budget, depth + 1),
    }));
    return (row) => {
      let key = Number(cell(data, row, at));
      for (const part of parts) {
        if (key >= 0 && key < part.length) return part.read(key);
        key -= part.length;
      }
      throw damaged(at);
    };
  }
  if (DataType.isMap(type)) return mapReader(data, at, budget, depth);
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const items = inside(0, `${at}[]`);
    return (row) => listed(...range(data, row, items.length, at), items.read);
  }
  if (DataType.isFixedSizeList(type)) {
    const items = inside(0, `${at}[]`);
    const { listSize } = type;
    return (row) => {
      if ((row + 1) * listSize > items.length) throw damaged(at);
      return listed(row * listSize, (row + 1) * listSize, items.read);
    };
  }
  if (DataType.isStruct(type)) {
    const fields = type.children.map(({ name }, index) => ({ name: name ?? '', ...inside(index, `${at}.${name}`) }));
    return (row) =>
      Object.fromEntries(
        fields.map(({ name, read, length }) => {
          if (row >= length) throw damaged(at);
          budget.take(name.length);
          return [name, read(row)];
        }),
      );
  }
  if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type))
    throw new UnreadableFileError(`the column ${short(at)} holds binary data; leave it out`);
  throw new UnreadableFileError(`the column ${short(at)} holds values of the type ${Type[data.typeId]}; leave it out`);
}

function textReader(data: Data, at: string, budget: RowBudget): ReadValue {
  const values = data.values as Uint8Array;
  return (row) => {
    const [start, end] = range(data, row, values.length, at);
    budget.take(end - start);
    const bytes = Buffer.from(values.buffer, values.byteOffset + start, end - start);
    if (!isUtf8(bytes))
      throw new UnreadableFileError(`the column ${short(at)} holds bytes that are no UTF-8 text; leave it out`);
    return bytes.toString();
  };
}

/** A list of pairs as an object. */
function mapReader(data: Data, at: string, budget: RowBudget, depth: number): ReadValue {
  const pairs = data.children[0];
  const [keys, values] = [pairs?.children[0], pairs?.children[1]];
  if (!keys || !values) throw damaged(at);
  const key = columnReader(keys, `${at}{}`, budget, depth + 1);
  const value = columnReader(values, `${at}{}`, budget, depth + 1);
  return (row) => {
    const [start, end] = range(data, row, Math.min(keys.length, values.length), at);
    return Object.fromEntries(listed(start, end, (index): [string, Json] => [keyOf(key(index)), value(index)]));
  };
}

const keyOf = (key: Json): string => (typeof key === 'string' ? key : JSON.stringify(key));

function listed<Item>(start: number, end: number, read: (row: number) => Item): Item[] {
  const items: Item[] = [];
  for (let index = start; index < end; index += 1) items.push(read(index));
  return items;
}

/** The offsets of a row, within the values they refer to. */
function range({ valueOffsets }: Data, row: number, length: number, at: string): [number, number] {
  const offsets = valueOffsets as ArrayLike<number | bigint> | undefined;
  const [start, end] = [Number(offsets?.[row]), Number(offsets?.[row + 1])];
  if (!(start >= 0 && end >= start && end <= length)) throw damaged(at);
  return [start, end];
}

function cell<Value extends number | bigint>({ values }: Data, index: number, at: string): Value {
  const value = (values as ArrayLike<Value> | undefined)?.[index];
  if (value === undefined) throw damaged(at);
  return value;
}

function wholeNumber(value: number | bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function decimal(value: bigint, scale: number): string {
  if (scale <= 0) return String(value * 10n ** BigInt(-scale));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/**
 * `2024-01-02T03:04:05.678` of the time since 1970, in a unit with `digits` digits after the second; the number if it is
 * beyond all years.
 */
function moment(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const fraction = ((value % unit) + unit) % unit;
  const seconds = Number((value - fraction) / unit);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(value);
  const behind = fraction === 0n ? '' : `.${String(fraction).padStart(digits, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, -'.000Z'.length)}${behind}`;
}

const short = (at: string): string => at.slice(0, 80);
const damaged = (at: string) =>
  new UnreadableFileError(`the Arrow file is damaged: the column ${short(at)} has fewer values than rows`);
