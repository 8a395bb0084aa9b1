import { readFileSync } from 'node:fs';
import { parseWordList } from '#primitives/text/lexicons/index.js';
import { stemOf } from './stem.js';

/** Knowledge of words besides their characters, for the embedder. */
export interface Lexicon {
  /** Words of grammar, in eight languages. */
  readonly functionWords: ReadonlySet<string>;
  /** English words of texts about anything. */
  readonly commonWords: ReadonlySet<string>;
  /** English words of about one meaning: by stem, the names of their groups. */
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
}

/** The lists are the embedder's own and are never changed: vectors that people have stored stay comparable with new ones. */
export function readLexicon(): Lexicon {
  return {
    functionWords: new Set(parseWordList(textOf('function-words'))),
    commonWords: new Set(parseWordList(textOf('common-words'))),
    synonyms: readSynonyms(),
  };
}

function readSynonyms(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const line of textOf('synonyms').split('\n')) {
    const words = parseWordList(line);
    const group = words.slice(0, 2).join(' ');
    for (const stem of new Set(words.map(stemOf))) {
      const known = groups.get(stem);
      if (known) known.push(group);
      else groups.set(stem, [group]);
    }
  }
  return groups;
}

const textOf = (name: string): string => readFileSync(new URL(`./words/${name}.txt`, import.meta.url), 'utf8');
