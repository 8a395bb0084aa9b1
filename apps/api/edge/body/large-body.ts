import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { ownTurn } from '#primitives/turns/own-turn.js';
import type { LongText } from '#primitives/text/json-shape.js';
import { badRequest } from '../errors/http-error.js';

/** Bytes of texts that are decoded in one turn: a millisecond or two. */
const BYTES_A_TURN = 256 * 1024;
/** Texts that are decoded in one turn, however short. */
const TEXTS_A_TURN = 1_000;

/** A JSON text that cannot be parsed. */
export class UnparsedError extends Error {
  /** @param position in bytes; null if that is not known */
  constructor(readonly position: number | null) {
    super('the JSON text cannot be parsed');
  }
}

/**
 * `JSON.parse` over several turns of the event loop. Long texts are parsed piece by piece, the rest with markers in
 * their places.
 * @param longTexts values, not keys, in order
 * @throws HttpError, UnparsedError
 */
export async function parseInTurns(bytes: Buffer, longTexts: readonly LongText[]): Promise<unknown> {
  await ownTurn();
  if (!isUtf8(bytes)) throw badRequest('the body is not valid UTF-8');
  const mark = randomUUID();
  const rest: Buffer[] = [];
  let at = 0;
  for (const [index, { start, end }] of longTexts.entries()) {
    rest.push(bytes.subarray(at, start), Buffer.from(mark + String(index).padStart(INDEX_DIGITS, '0')));
    at = end;
  }
  rest.push(bytes.subarray(at));
  const text = Buffer.concat(rest).toString('utf8');
  await ownTurn();
  const value = text.trim() === '' ? undefined : parsed(text, (position) => positionOf(position, longTexts));
  const texts: string[] = [];
  let spent = 0;
  for (const [index, { start, end }] of longTexts.entries()) {
    if (index % TEXTS_A_TURN === 0 || (spent += end - start) > BYTES_A_TURN) {
      await ownTurn();
      spent = 0;
    }
    texts.push(await unescaped(bytes, start, end));
  }
  await ownTurn();
  const whole = restored(value, mark, texts);
  // Runs the handler in a new turn of the event loop.
  await ownTurn();
  return whole;
}

const INDEX_DIGITS = 8;
const MARK_LENGTH = randomUUID().length + INDEX_DIGITS;

function parsed(text: string, positionIn: (position: number) => number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new UnparsedError(position === undefined ? null : positionIn(Number(position)));
  }
}

/** Converts a position after the marks to a position in the body. */
function positionOf(position: number, longTexts: readonly LongText[]): number {
  let shift = 0;
  for (const { start, end } of longTexts) {
    if (position + shift < start + MARK_LENGTH) break;
    shift += end - start - MARK_LENGTH;
  }
  return position + shift;
}

async function unescaped(bytes: Buffer, start: number, end: number): Promise<string> {
  const pieces: string[] = [];
  for (let from = start, to = start; from < end; from = to) {
    to = end - from <= BYTES_A_TURN ? end : cut(bytes, from, from + BYTES_A_TURN);
    pieces.push(parsed(`"${bytes.toString('utf8', from, to)}"`, (position) => from + position - 1) as string);
    if (to < end) await ownTurn();
  }
  return pieces.length === 1 ? pieces[0]! : pieces.join('');
}

/** The last place up to `to` that cuts neither an escape nor a character in two. */
function cut(bytes: Buffer, from: number, to: number): number {
  const last = bytes.subarray(to - MAX_ESCAPE_CHARACTERS, to).lastIndexOf(BACKSLASH);
  if (last !== -1) {
    const end = to - MAX_ESCAPE_CHARACTERS + last + 1;
    let run = end;
    while (run > from && bytes[run - 1] === BACKSLASH) run -= 1;
    // A run of backslashes: two form an escape.
    return run > from ? run : end - ((end - from) % 2);
  }
  let at = to;
  while ((bytes[at]! & 0xc0) === 0x80) at -= 1;
  return at;
}

const BACKSLASH = 0x5c;
/** `\u4e2d` */
const MAX_ESCAPE_CHARACTERS = 6;

/** Puts the texts in the places of their markers. @throws HttpError */
function restored(value: unknown, mark: string, texts: readonly string[]): unknown {
  if (typeof value === 'string')
    return value.length === MARK_LENGTH && value.startsWith(mark) ? texts[Number(value.slice(mark.length))] : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // Called for each of 300,000 numbers, a function would take as long as parsing them.
    for (let index = 0; index < value.length; index += 1)
      if (typeof value[index] !== 'number') value[index] = restored(value[index], mark, texts);
    return value;
  }
  if (Object.hasOwn(value, '__proto__'))
    throw badRequest('the body is not valid JSON: the name __proto__ is not allowed');
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (typeof field === 'string' || typeof field === 'object') {
      const whole = restored(field, mark, texts);
      if (whole !== field) fields[name] = whole;
    }
  }
  return value;
}
