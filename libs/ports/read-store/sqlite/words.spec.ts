import fc from 'fast-check';
import { DatabaseSync } from 'node:sqlite';
import { indexedText, indexedWords } from '../words.js';
import { WORDS_SQL } from './collection-tables.js';

describe('the index of words', () => {
  const plain = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
  const text = fc.oneof(
    plain,
    fc.tuple(plain, fc.string({ unit: 'binary' })).map((parts) => parts.join(' ')),
    fc.tuple(plain, fc.integer({ min: 60, max: 70 })).map(([before, length]) => `${before} ${'aB3'.repeat(length)}`),
    fc.integer({ min: 990, max: 1_010 }).map((count) => Array.from({ length: count }, (_, n) => `w${n}`).join(' ')),
    fc.constantFrom('a\0b', 'under_score', "it's", 'x'.repeat(64), 'x'.repeat(65), 'é e\u0301 ﬁ', '\x7f a', ''),
  );

  function inIndex(given: string): readonly unknown[] {
    const database = new DatabaseSync(':memory:');
    database.exec(`${WORDS_SQL}; CREATE VIRTUAL TABLE all_words USING fts5vocab(words, row)`);
    database.prepare('INSERT INTO words (rowid, text) VALUES (1, ?)').run(given);
    const found = database.prepare('SELECT term FROM all_words').all();
    database.close();
    return found.map(({ term }) => term);
  }

  it('has the words of a text, whether it is given the text or its words', () => {
    fc.assert(
      fc.property(text, (given) => {
        const document = { said: [given] };
        const words = indexedWords(document, ['said']);
        expect(inIndex(indexedText(document, ['said']))).toEqual(inIndex(words.join(' ')));
      }),
      { numRuns: 300 },
    );
  });
});
