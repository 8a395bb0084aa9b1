import { Random } from '#gpu-runner/engines/builtin/random.js';
import { pick } from './choice.js';

/**
 * Turns listed phrases into ones that no text has ("Minecraft" into "Vanicreft") and remembers them by class. The training
 * gazetteer holds them: as their letters have not been seen, only the gazetteer and the context can tell what they are, so both
 * get weights of their own.
 */
export class Coinage {
  private readonly byClass = new Map<string, Set<string>>();

  /** @param share of picks that are replaced, 0 to 1 */
  constructor(private readonly share: number) {}

  /** @returns an item of the list, or a coined one instead */
  pick(random: Random, className: string, list: readonly string[]): string {
    const item = pick(random, list);
    if (this.share === 0 || random.next() >= this.share || !/\p{L}{4}/u.test(item)) return item;
    const basis = random.next() < oneWord ? longestWord(item) : item;
    const coined = basis.replace(/\p{L}+/gu, (word) => (word.length < 4 ? word : respell(random, word)));
    if (coined === item) return item;
    let known = this.byClass.get(className);
    if (!known) this.byClass.set(className, (known = new Set()));
    known.add(coined);
    return coined;
  }

  /** Everything coined so far, in order. */
  phrases(className: string): string[] {
    return [...(this.byClass.get(className) ?? [])];
  }
}

/** Share of coined phrases cut down to one word: lists of long names would else teach nothing about short ones. */
const oneWord = 0.3;

function longestWord(phrase: string): string {
  return phrase.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest));
}

const vowels = 'aeiou';
const consonants = 'bcdfghklmnprstvwz';

/** Replaces most letters by others of their kind, keeping case and length. */
function respell(random: Random, word: string): string {
  return word.replace(/\p{L}/gu, (letter) => {
    if (random.next() < 0.3) return letter;
    const lower = letter.toLowerCase();
    const kind = /[aeiouyà-ÿ]/.test(lower) ? vowels : consonants;
    const other = kind[random.below(kind.length)]!;
    return letter === lower ? other : other.toUpperCase();
  });
}
