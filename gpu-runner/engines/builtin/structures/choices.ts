import { composed } from '#primitives/text/composed.js';
import type { Steps } from '../../steps.js';

/** A choice, and how like the text it is: 0 to 1. */
interface NearestChoice {
  readonly choice: string;
  readonly likeness: number;
}

/** Choices compared in one step. */
const CHOICES_IN_STEP = 50;

/** A closed vocabulary; results for a choice or a value are cached. */
export class Choices {
  private readonly forms: Form[] = [];
  private readonly known = new Map<string, NearestChoice | null>();

  constructor(private readonly choices: readonly string[]) {}

  /**
   * The choice that a value in a text means: the one with the same spelling, ignoring case; else by shared words
   * ("business" for "business class") and runs of three characters ("Buisness"), the first of equals.
   */
  *nearest(value: string): Steps<NearestChoice | null> {
    const exact = lower(value);
    let nearest = this.known.get(exact);
    if (nearest === undefined) this.known.set(exact, (nearest = yield* this.compared(exact)));
    return nearest;
  }

  private *compared(exact: string): Steps<NearestChoice | null> {
    const likenessOf = likenessTo(withoutSymbols(exact));
    let best: NearestChoice | null = null;
    for (const [index, choice] of this.choices.entries()) {
      const form = (this.forms[index] ??= formOf(choice));
      if (form.exact === exact) return { choice, likeness: 1 };
      const likeness = likenessOf(form.plain);
      if (likeness > (best?.likeness ?? 0)) best = { choice, likeness };
      if ((index + 1) % CHOICES_IN_STEP === 0) yield;
    }
    return best;
  }
}

interface Form {
  readonly exact: string;
  /** Without symbols: two choices may have the same, as "C" and "C++". */
  readonly plain: string;
}

function formOf(choice: string): Form {
  const exact = lower(choice);
  return { exact, plain: withoutSymbols(exact) };
}

const lower = (text: string): string => composed(text).toLowerCase().trim();

const withoutSymbols = (text: string): string => text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();

function likenessTo(value: string): (choice: string) => number {
  const [words, runs] = [wordsOf(value), runsOf(value)];
  return (choice) => {
    if (choice === '' || value === '') return 0;
    return choice === value ? 1 : Math.max(dice(words, wordsOf(choice)), dice(runs, runsOf(choice)));
  };
}

const wordsOf = (text: string): Set<string> => new Set(text.split(' '));

/** Runs of three characters, with a blank at either end. */
function runsOf(text: string): Set<string> {
  const padded = ` ${text} `;
  return new Set(Array.from({ length: Math.max(1, padded.length - 2) }, (_, at) => padded.slice(at, at + 3)));
}

/** Dice's coefficient: twice the number of common items, divided by the number of items in both. */
function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
