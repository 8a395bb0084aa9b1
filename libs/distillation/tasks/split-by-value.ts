import type { ReadCall } from '../calls/read-call.js';
import { isAlike, shapeOf } from './forms.js';
import type { Hole } from './template.js';

/** A hole that is a part of the prompt, of which there are several: what each says, and the calls with it. */
export interface PromptsByValue {
  readonly hole: number;
  readonly values: ReadonlyMap<string, readonly ReadCall[]>;
}

/** A call with its values of all holes. */
export interface CutCall {
  readonly call: ReadCall;
  readonly values: readonly string[];
}

interface PlacedHoles {
  readonly holes: readonly Hole[];
  readonly before: readonly string[];
  readonly asked: readonly number[];
}

/** Fewer calls of a value are no prompt of their own. */
const MIN_CALLS = 10;
/** Share of the calls that have a value with enough calls. */
const COVERED = 0.9;
const MOST_VALUES = 200;
/** Characters of values, on average, that are instructions rather than words: as many as tell prompts apart. */
const INSTRUCTION = 24;
/** What stands before a sentence, a line or what a label names; else a value is a part of a sentence. */
const BEGINS = /(?:^|[\n:.!?>])\s*$/;
/** Texts that were sent with several values, and share of them that are answered otherwise, which shows that the answer hangs on it. */
const MIN_TEXTS = 10;
const OTHERWISE = 0.3;

/**
 * Tells whether a hole beside the text is a part of the prompt: it has few values, each in many calls, and these are whole instructions,
 * or the answers hang on them. One model of all of them could not know what it is asked.
 * @param before the constant words before each hole
 * @param asked holes that differ from call to call as the text does
 * @returns null if there is none
 */
export function promptsByValue(
  calls: readonly CutCall[],
  { holes, before, asked }: PlacedHoles,
): PromptsByValue | null {
  const text = holes.findIndex(({ kind }) => kind === 'text');
  for (const [hole, { kind }] of holes.entries()) {
    if (kind !== 'parameter' && !asked.includes(hole)) continue;
    const all = Map.groupBy(calls, ({ values }) => values[hole]!);
    const large = [...all].filter(([, own]) => own.length >= MIN_CALLS);
    const covered = large.reduce((sum, [, own]) => sum + own.length, 0);
    if (large.length < 2 || large.length > MOST_VALUES || covered < COVERED * calls.length) continue;
    const length = large.reduce((sum, [value]) => sum + value.length, 0) / large.length;
    const isInstruction = length >= INSTRUCTION && BEGINS.test(before[hole]!);
    if (!isInstruction && !areAnsweredOtherwise(large, text)) continue;
    return { hole, values: new Map(large.map(([value, own]) => [value, own.map(({ call }) => call)])) };
  }
  return null;
}

/** Whether the answers hang on the value: they are others, or the same text is answered otherwise. */
function areAnsweredOtherwise(groups: readonly (readonly [string, readonly CutCall[]])[], text: number): boolean {
  const [first, ...others] = groups.map(([, own]) => shapeOf(own.map(({ call }) => call.answer)));
  if (others.some((shape) => !isAlike(first!, shape))) return true;
  const answers = new Map<string, Map<string, string>>();
  for (const [value, own] of groups)
    for (const { call, values } of own) {
      const byValue = answers.get(values[text]!) ?? new Map<string, string>();
      answers.set(values[text]!, byValue.set(value, call.answer.text.trim().toLowerCase()));
    }
  const several = [...answers.values()].filter(({ size }) => size > 1);
  const differing = several.filter((byValue) => new Set(byValue.values()).size > 1);
  return several.length >= MIN_TEXTS && differing.length > OTHERWISE * several.length;
}
