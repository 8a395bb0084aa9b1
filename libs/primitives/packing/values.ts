/**
 * Single values of what is packed. A tag, then what it needs. Tags are in files: a new one may be added, none may change.
 * Numbers of bytes and ids are LEB128 (https://en.wikipedia.org/wiki/LEB128).
 */
export const TAG = {
  null: 0,
  true: 1,
  false: 2,
  /** Length, UTF-8. */
  text: 3,
  /** 16 bytes. */
  uuid: 4,
  /** Length, bytes: lower-case hexadecimal. */
  hex: 5,
  /** Length, bytes: canonical base64, padded. */
  base64: 6,
  /** Milliseconds since 1970 in 6 bytes: ISO 8601 in UTC with milliseconds. */
  time: 7,
  /** A whole number written as text. */
  digits: 8,
  /** A whole number from 0, and the negative of one. */
  integer: 9,
  negative: 10,
  /** 8 bytes, IEEE 754. */
  double: 11,
  /** The id of a text that is kept once. */
  known: 12,
  /** Length, a whole number: digits, with zeros before them up to this length. */
  padded: 13,
  /** Length, UTF-8: any value, as JSON. */
  json: 14,
  /** 16 bytes; length, UTF-8: a text that begins with a UUID. */
  uuidFirst: 15,
  /** 0x40 to 0x7f: the same as an earlier uuid or time, by its number. */
  earlier: 0x40,
  /** 0x80 to 0xff, and another byte: a known text with an id below 2^15. */
  shortKnown: 0x80,
} as const;

export const MAX_EARLIER = TAG.shortKnown - TAG.earlier;
/** The id of a shape has three bytes, after the first. */
export const SHAPE_AT = 1;
export const SHAPE_BYTES = 3;
export const MAX_SHAPE_ID = 2 ** 24;
export const MAX_SHORT_ID = 2 ** 15;

export const UUID_LENGTH = 36;
export const TIME_LENGTH = 24;
const MAX_DIGITS = 20;

/** The digit that a character is in lower-case hexadecimal; above 15 for another. */
const digitOf = (code: number): number =>
  code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : 16;

/** Writes the bytes of hexadecimal digits. @returns false for a text that is not that, of which some may be written */
export function hexInto(buffer: Uint8Array, at: number, text: string, from = 0, until = text.length): boolean {
  if ((until - from) % 2 !== 0) return false;
  let place = at;
  for (let index = from; index < until; index += 2) {
    const [high, low] = [digitOf(text.charCodeAt(index)), digitOf(text.charCodeAt(index + 1))];
    if (high > 15 || low > 15) return false;
    buffer[place++] = (high << 4) | low;
  }
  return true;
}

/** Writes 16 bytes. @returns false for a text that does not begin with a lower-case UUID */
export function uuidInto(buffer: Uint8Array, at: number, text: string): boolean {
  return (
    text.length >= UUID_LENGTH &&
    text[8] === '-' &&
    hexInto(buffer, at, text, 0, 8) &&
    hexInto(buffer, at + 4, text, 9, 13) &&
    text[13] === '-' &&
    hexInto(buffer, at + 6, text, 14, 18) &&
    text[18] === '-' &&
    hexInto(buffer, at + 8, text, 19, 23) &&
    text[23] === '-' &&
    hexInto(buffer, at + 10, text, 24, 36)
  );
}

/** Its bytes; null for a text that is no lower-case UUID. */
export function uuidBytes(text: string): Uint8Array | null {
  const bytes = new Uint8Array(16);
  return text.length === UUID_LENGTH && uuidInto(bytes, 0, text) ? bytes : null;
}

const DIGITS = Buffer.from('0123456789abcdef');
const DASHES: ReadonlySet<number> = new Set([4, 6, 8, 10]);
const written = Buffer.alloc(UUID_LENGTH, '-');

/** In one piece: a text put together of pieces would be copied again where it is used. */
export function uuidText(bytes: Uint8Array, start = 0): string {
  let place = 0;
  for (let at = 0; at < 16; at += 1) {
    if (DASHES.has(at)) place += 1;
    written[place++] = DIGITS[bytes[start + at]! >> 4]!;
    written[place++] = DIGITS[bytes[start + at]! & 15]!;
  }
  return written.toString('latin1');
}

/** The whole number that digits write, with zeros before it or without; null for another text. */
export function digitsIn(text: string): number | null {
  const { length } = text;
  if (length === 0 || length > MAX_DIGITS) return null;
  const value = digitsAt(text, 0, length);
  return Number.isSafeInteger(value) ? value : null;
}

function digitsAt(text: string, from: number, until: number): number | null {
  let value = 0;
  for (let index = from; index < until; index += 1) {
    const digit = digitOf(text.charCodeAt(index));
    if (digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}

/** The last day that was asked for, and when it begins. */
let lastDay = { text: '', ms: NaN };

/** Milliseconds since 1970; null for a text that is no such time, written in just this way. */
export function timeIn(text: string): number | null {
  if (text.length !== TIME_LENGTH || text[10] !== 'T' || text[23] !== 'Z') return null;
  if (text[13] !== ':' || text[16] !== ':' || text[19] !== '.') return null;
  const [hour, minute, second] = [digitsAt(text, 11, 13), digitsAt(text, 14, 16), digitsAt(text, 17, 19)];
  const ms = digitsAt(text, 20, 23);
  if (hour === null || minute === null || second === null || ms === null) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  if (!text.startsWith(lastDay.text) || lastDay.text === '') {
    const day = text.slice(0, 10);
    const begins = Date.parse(`${day}T00:00:00.000Z`);
    if (!(begins >= 0) || new Date(begins).toISOString().slice(0, 10) !== day) return null;
    lastDay = { text: day, ms: begins };
  }
  return lastDay.ms + ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
}
