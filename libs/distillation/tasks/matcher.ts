import { isDeepStrictEqual } from 'node:util';
import type { CanonicalRequest } from '../calls/canonical.js';
import type { Hole, Template, TemplatePart } from './template.js';

/** What a request says in the holes of a template. */
export interface Cut {
  /** The text that is asked about. */
  readonly text: string;
  /** The values of the parameters, in the order of the prompt. */
  readonly parameters: readonly string[];
}

/** Values that are left out may be so many times as long as the longest known one. */
const LONGER = 4;
const SLACK = 16;

/**
 * Cuts the text out of a request, in time proportional to its length.
 * @returns null if the request has another constant part, another value of a parameter, other tools or another schema: it is another
 * request, for which the task's model was not made
 */
export function cut(template: Template, request: CanonicalRequest): Cut | null {
  const { parts, tools, format } = template;
  if (request.parts.length !== parts.length || request.tools.length !== tools.length) return null;
  let text: string | null = null;
  const parameters: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [part, given] = [parts[at]!, request.parts[at]!];
    if (part.role !== given.role) return null;
    const values = valuesOf(part, given.text);
    if (values === null) return null;
    for (let hole = 0; hole < values.length; hole += 1) {
      const [about, value] = [part.holes[hole]!, values[hole]!];
      if (!isAllowed(about, value)) return null;
      if (about.kind === 'parameter') parameters.push(value);
      if (about.kind === 'text') text = about.json ? unescaped(value) : value;
    }
  }
  if (text === null || !isDeepStrictEqual(request.tools, tools) || !isDeepStrictEqual(request.format, format))
    return null;
  return { text, parameters };
}

/**
 * The stretches between a part's chunks. Those before the text are as short as possible, read from the left, and those after it, read from
 * the right: so a text may hold anything, also the very words of the prompt.
 * @returns null if a chunk is missing
 */
export function valuesOf({ chunks, holes }: Pick<TemplatePart, 'chunks' | 'holes'>, text: string): string[] | null {
  if (holes.length === 0) return text === chunks[0] ? [] : null;
  const middle = middleOf(holes);
  const last = chunks.length - 1;
  if (!text.startsWith(chunks[0]!) || !text.endsWith(chunks[last]!)) return null;
  const values = new Array<string>(holes.length);
  let start = chunks[0]!.length;
  let end = text.length - chunks[last]!.length;
  for (let hole = 0; hole < middle; hole += 1) {
    const found = text.indexOf(chunks[hole + 1]!, start);
    if (found < 0 || found + chunks[hole + 1]!.length > end) return null;
    values[hole] = text.slice(start, found);
    start = found + chunks[hole + 1]!.length;
  }
  for (let hole = holes.length - 1; hole > middle; hole -= 1) {
    const found = text.lastIndexOf(chunks[hole]!, end - chunks[hole]!.length);
    if (found < start || found + chunks[hole]!.length > end) return null;
    values[hole] = text.slice(found + chunks[hole]!.length, end);
    end = found;
  }
  if (start > end) return null;
  values[middle] = text.slice(start, end);
  return values;
}

/** The hole that is read last. */
function middleOf(holes: readonly (Hole | null)[]): number {
  const text = holes.findIndex((hole) => hole?.kind === 'text');
  return text < 0 ? holes.length - 1 : text;
}

function isAllowed(hole: Hole, value: string): boolean {
  switch (hole.kind) {
    case 'text':
      return true;
    case 'parameter':
      return hole.values.includes(value);
    case 'left-out':
      return value.length <= hole.maxLength * LONGER + SLACK;
  }
}

/** @returns null for what is no string of JSON */
export function unescaped(value: string): string | null {
  if (!value.includes('\\')) return value.includes('"') || hasControl(value) ? null : value;
  try {
    return JSON.parse(`"${value}"`) as string;
  } catch {
    return null;
  }
}

const hasControl = (value: string): boolean => /[\u0000-\u001f]/.test(value);
