import { normalised, nameWords } from './names.js';

export interface Domain {
  readonly name: string;
  /** Words and phrases that point to it. */
  readonly words: readonly string[];
}

/** Domains that a description indicates, by the words in it; those with the most first. */
export function domainsIn(description: string, domains: readonly Domain[]): readonly string[] {
  const text = ` ${nameWords(description).map(normalised).join(' ')} `;
  const found = domains.map(({ name, words }) => {
    const hits = new Set(words.map((word) => nameWords(word).map(normalised).join(' '))).values();
    return { name, score: [...hits].filter((word) => text.includes(` ${word} `)).length };
  });
  const most = Math.max(0, ...found.map(({ score }) => score));
  return most === 0 ? [] : found.filter(({ score }) => score === most).map(({ name }) => name);
}
