import { isRecord, type Json } from '#domain/json.js';

/** A number as it is written in JSON: `12.50`, which is another text than `12.5`. */
export class NumberText {
  constructor(readonly source: string) {}
  toJSON(): number {
    return Number(this.source);
  }
}

/** A value of JSON whose numbers keep their form. */
export type SourcedJson = string | boolean | null | NumberText | readonly SourcedJson[] | SourcedObject;
export interface SourcedObject {
  readonly [key: string]: SourcedJson;
}

/** JSON within an answer. */
export interface FoundJson {
  /** What stands before and behind: fences, words, white space. */
  readonly before: string;
  readonly after: string;
  readonly source: string;
  readonly value: Json;
}

/** The JSON object or list in a text, whatever stands around it. @returns null if there is none */
export function jsonIn(text: string): FoundJson | null {
  const start = text.search(/[{[]/);
  if (start < 0) return null;
  const end = text.lastIndexOf(text[start] === '{' ? '}' : ']') + 1;
  if (end <= start) return null;
  const source = text.slice(start, end);
  const value = parsed(source);
  return value === undefined ? null : { before: text.slice(0, start), after: text.slice(end), source, value };
}

function parsed(source: string): Json | undefined {
  try {
    return JSON.parse(source) as Json;
  } catch {
    return undefined;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Reads JSON with the form of its numbers. @throws SyntaxError */
export function parseSourced(source: string): SourcedJson {
  const keep: Reviver = (_, value, context) =>
    typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value;
  return JSON.parse(source, keep as Parameters<typeof JSON.parse>[1]) as SourcedJson;
}

export const isSourcedObject = (value: SourcedJson | undefined): value is SourcedObject =>
  isRecord(value) && !(value instanceof NumberText);

export const isSourcedList = (value: SourcedJson | undefined): value is readonly SourcedJson[] => Array.isArray(value);

/** The texts and numbers in a value, as texts. */
export function leavesOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(leavesOf);
  return isRecord(value) ? Object.values(value as Record<string, Json>).flatMap(leavesOf) : [];
}
