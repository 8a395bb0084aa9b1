import { composed } from '#primitives/text/composed.js';

/** A closed vocabulary: the only values that a field may have. */
export class Choices {
  private readonly exact = new Map<string, string>();
  /** By letters and digits alone; null where several choices have the same, as "C" and "C++". */
  private readonly plain = new Map<string, string | null>();

  constructor(choices: readonly string[]) {
    for (const choice of choices) {
      const exact = lower(choice);
      if (this.exact.has(exact)) continue;
      this.exact.set(exact, choice);
      const plain = withoutSymbols(exact);
      this.plain.set(plain, this.plain.has(plain) ? null : choice);
    }
  }

  /** The choice that is written like a value, but for case and punctuation; null if none is. */
  find(value: string): string | null {
    const exact = lower(value);
    const plain = withoutSymbols(exact);
    return this.exact.get(exact) ?? (plain === '' ? null : (this.plain.get(plain) ?? null));
  }
}

const lower = (text: string): string => composed(text).toLowerCase().trim();

const withoutSymbols = (text: string): string => text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
