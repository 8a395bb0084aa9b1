import type { Json, JsonObject } from '../json.js';
import type { CallContentBody, ContentSummary } from './events.js';

/** Limit on the UTF-8 JSON of an input, an output or a correction. */
export const MAX_SUMMARY_BYTES = 3 * 1024;
/** Limit on an error message or notes. */
const MAX_SUMMARY_TEXT_BYTES = 1024;

export const contentSummary = ({ input, output, errorMessage }: CallContentBody): ContentSummary =>
  summary({ input, output }, { errorMessage });

/** Values cut for lists, and the names of those cut. */
type Cut<Values, Texts> = { readonly [Name in keyof Values]: Json } & {
  readonly [Name in keyof Texts]: string | null;
} & { readonly truncated: readonly string[] };

/** Cuts values and texts for lists. */
export function summary<Values extends JsonObject, Texts extends Readonly<Record<string, string | null>>>(
  values: Values,
  texts: Texts,
): Cut<Values, Texts> {
  const truncated: string[] = [];
  const cut =
    (maxBytes: number) =>
    ([name, value]: [string, Json | undefined]) => {
      const shown = beginning(value ?? null, maxBytes);
      if (shown.isCut) truncated.push(name);
      return [name, shown.value] as const;
    };
  const shown = [
    ...Object.entries(values).map(cut(MAX_SUMMARY_BYTES)),
    ...Object.entries(texts).map(cut(MAX_SUMMARY_TEXT_BYTES)),
  ];
  // A cut string remains a string.
  return { ...Object.fromEntries(shown), truncated } as unknown as Cut<Values, Texts>;
}

/**
 * The value itself if its JSON is at most `maxBytes`, else its beginning of about that size in the same shape: a cut
 * string ends in `…`, and the rest is left out. Reads no more of a value than it keeps.
 */
export function beginning(value: Json, maxBytes: number): { readonly value: Json; readonly isCut: boolean } {
  const room: Room = { bytes: maxBytes, isCut: false };
  const kept = keep(value, room);
  return { value: room.isCut ? kept : value, isCut: room.isCut };
}

interface Room {
  bytes: number;
  isCut: boolean;
}

function keep(value: Json, room: Room): Json {
  if (typeof value === 'string') return keepText(value, room);
  if (value === null || typeof value !== 'object') {
    room.bytes -= String(value).length;
    return value;
  }
  room.bytes -= 2;
  if (Array.isArray(value)) return keepItems(value as readonly Json[], room);
  return keepMembers(value as JsonObject, room);
}

function keepItems(items: readonly Json[], room: Room): Json {
  const kept: Json[] = [];
  for (const item of items) {
    if (isFull(room)) break;
    kept.push(keep(item, room));
    room.bytes -= 1;
  }
  return kept;
}

function keepMembers(object: JsonObject, room: Room): Json {
  const kept: [string, Json][] = [];
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    if (isFull(room)) break;
    if (name.length > room.bytes || jsonBytes(name) > room.bytes) {
      room.isCut = true;
      break;
    }
    room.bytes -= jsonBytes(name) + 2;
    kept.push([name, keep(value, room)]);
  }
  return Object.fromEntries(kept);
}

function isFull(room: Room): boolean {
  if (room.bytes <= 0) room.isCut = true;
  return room.isCut;
}

function keepText(text: string, room: Room): string {
  let kept = text.slice(0, Math.max(0, room.bytes));
  if (kept.length === text.length) {
    const bytes = jsonBytes(text);
    if (bytes <= room.bytes) {
      room.bytes -= bytes;
      return text;
    }
  }
  room.isCut = true;
  while (kept !== '' && jsonBytes(kept) > room.bytes) kept = kept.slice(0, Math.floor(kept.length * 0.8));
  room.bytes = 0;
  // Half of a surrogate pair is no character.
  return `${kept.replace(/[\ud800-\udbff]$/, '')}…`;
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
