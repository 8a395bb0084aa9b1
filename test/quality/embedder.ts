import { dot } from '#primitives/vectors.js';

/**
 * Measures the built-in embedder, beside two baselines that see nothing but words:
 *
 *   node dist/test/quality/embedder.js [--part held-out|development] [--domains]
 *
 * On pairs of sentences that were written and graded for this project (0: nothing in common, 5: the same meaning; Spearman's rank
 * correlation of the cosines with the grades), on questions each of which one of 60 passages answers (is it the first, and the
 * mean of 1 / its rank), and on BANKING77 where that is in $ANNEAL_SHARED_DIR/data (has the nearest of 3,080 labelled questions the
 * right one of 77 labels?). The embedder was chosen on the development part of each; the held-out part was looked at when it was done.
 */
import { parseArgs } from 'node:util';
import { readBanking, type Labelled } from './embedder-banking.js';
import { hashedWords, wordOverlap, type Embed } from './embedder-baselines.js';
import { builtIn, correlation, cosinesOf, readSentences } from './sentence-pairs.js';
import { interval, meanReciprocalRank, spearman } from './statistics.js';

const { values: args } = parseArgs({
  options: { part: { type: 'string', default: 'held-out' }, domains: { type: 'boolean', default: false } },
});
const isMeasured = ({ part }: { readonly part: string }) => part === args.part;

const { pairs, retrieval } = readSentences();
const measured = pairs.filter(isMeasured);
const banking = readBanking(args.part === 'held-out');

const models: readonly (readonly [name: string, embed: Embed])[] = [
  ['word overlap', wordOverlap],
  ['hashed bag of words, 256', hashedWords(256)],
  ['built-in, 256', builtIn(256)],
  ['built-in, 128', builtIn(128)],
  ['built-in, 64', builtIn(64)],
];

console.log(`${args.part}: ${measured.length} pairs, ${retrieval.filter(isMeasured).length} questions`);
console.table(Object.fromEntries(models.map(([name, embed]) => [name, figuresOf(embed)])));

function figuresOf(embed: Embed) {
  const cosines = cosinesOf(embed, measured);
  const grades = measured.map(({ grade }) => grade);
  const [low, high] = interval(cosines.length, (rows) => spearman(at(cosines, rows), at(grades, rows)));
  const ranks = ranksOf(embed);
  return {
    Spearman: rounded(correlation(embed, measured)),
    '95%': `${rounded(low)} to ${rounded(high)}`,
    ...(args.domains && domainsOf(cosines)),
    'first is right': rounded(ranks.filter((rank) => rank === 1).length / ranks.length),
    MRR: rounded(meanReciprocalRank(ranks)),
    ...(banking && { 'BANKING77 1-NN': rounded(nearestLabel(embed, banking)) }),
  };
}

function domainsOf(cosines: readonly number[]) {
  const domains = Map.groupBy(measured.keys(), (index) => measured[index]!.domain);
  return Object.fromEntries(
    [...domains]
      .filter(([, rows]) => rows.length >= 8)
      .map(([domain, rows]) => {
        const grades = rows.map((row) => measured[row]!.grade);
        return [domain, rounded(spearman(at(cosines, rows), grades))];
      }),
  );
}

/** The rank of each question's passage among those of both parts. */
function ranksOf(embed: Embed): number[] {
  const vectors = embed([...retrieval.map(({ passage }) => passage), ...retrieval.map(({ query }) => query)]);
  const passages = vectors.slice(0, retrieval.length);
  return retrieval.flatMap((question, index) => {
    if (!isMeasured(question)) return [];
    const query = vectors[retrieval.length + index]!;
    const right = dot(query, passages[index]!);
    // Ties count against it.
    return [passages.filter((passage) => dot(query, passage) >= right).length];
  });
}

function nearestLabel(embed: Embed, { known, asked }: Labelled): number {
  const vectors = embed([...known, ...asked].map(({ text }) => text));
  const right = vectors.slice(known.length).filter((query, index) => {
    let best = 0;
    let nearest = -Infinity;
    for (const [row, vector] of vectors.slice(0, known.length).entries()) {
      const near = dot(query, vector);
      if (near > nearest) [best, nearest] = [row, near];
    }
    return known[best]!.label === asked[index]!.label;
  });
  return right.length / asked.length;
}

function at(values: readonly number[], rows: readonly number[]): number[] {
  return rows.map((row) => values[row]!);
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
