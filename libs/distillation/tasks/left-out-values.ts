import type { ReadCall } from '../calls/read-call.js';
import { jsonIn, leavesOf } from '../mapping/json-text.js';
import { valuesOf } from './matcher.js';
import type { Template } from './template.js';

/** Shorter values stand in other holes by chance. */
const MIN_VALUE = 4;
/** Calls that are looked at. */
const MOST = 200;
/** Share of the calls whose answer needs a hole that is left out. */
const NEEDED = 0.2;

/** Why the text may not be all that the answers are about: they have values of a hole that is left out. @returns '' if not so */
export function answersElsewhere({ parts }: Template, calls: readonly ReadCall[]): string {
  const looked = calls.slice(0, MOST);
  const found = looked.filter(({ request, answer }) => {
    const values = parts.flatMap((part, at) =>
      (valuesOf(part, request.parts[at]!.text) ?? []).map((value, hole) => ({ value, hole: part.holes[hole]! })),
    );
    const text = values.find(({ hole }) => hole.kind === 'text')?.value.toLowerCase() ?? '';
    const others = values.filter(({ hole }) => hole.kind === 'left-out').map(({ value }) => value.trim().toLowerCase());
    const json = jsonIn(answer.text)?.value;
    const said = (json === undefined ? [answer.text] : leavesOf(json)).map((value) => value.trim().toLowerCase());
    return said.some(
      (value) => value.length >= MIN_VALUE && others.some((other) => other.includes(value)) && !text.includes(value),
    );
  });
  return found.length < NEEDED * looked.length
    ? ''
    : 'the answers have values of a part of the prompt that is not the text';
}
