/** Words of an answer that ROUGE-L compares; those after are cut off. */
const MAX_WORDS = 2_000;

/** Words of letters and digits, without case. */
const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, MAX_WORDS);

/**
 * ROUGE-L of one answer (Lin 2004): F1 of the longest common subsequence of words, without stemming.
 * @returns 0 to 1; 1 if neither has a word
 */
export function rougeLOf(expected: string, said: string): number {
  const [gold, found] = [wordsOf(expected), wordsOf(said)];
  if (gold.length === 0 && found.length === 0) return 1;
  const common = commonSubsequence(gold, found);
  return (2 * common) / (gold.length + found.length);
}

function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let before = new Uint16Array(b.length + 1);
  let now = new Uint16Array(b.length + 1);
  for (const word of a) {
    for (let at = 0; at < b.length; at += 1)
      now[at + 1] = word === b[at] ? before[at]! + 1 : Math.max(before[at + 1]!, now[at]!);
    [before, now] = [now, before];
  }
  return before[b.length]!;
}

/** Maximum number of tokens of an n-gram. */
export const MAX_ORDER = 4;

/**
 * Counts of one answer for BLEU: tokens expected, tokens answered, and for each order the answer's n-grams that were
 * expected and all its n-grams.
 */
export function bleuCounts(expected: string, said: string): Float64Array {
  const [gold, found] = [tokensOf(expected), tokensOf(said)];
  const counts = new Float64Array(2 + 2 * MAX_ORDER);
  counts[0] = gold.length;
  counts[1] = found.length;
  for (let order = 1; order <= MAX_ORDER; order += 1) {
    const wanted = gramsOf(gold, order);
    for (const [gram, times] of gramsOf(found, order)) counts[order * 2]! += Math.min(times, wanted.get(gram) ?? 0);
    counts[order * 2 + 1] = Math.max(0, found.length - order + 1);
  }
  return counts;
}

/**
 * BLEU of a corpus (Papineni et al. 2002) from the sum of the counts of its answers, as sacreBLEU computes it: 13a tokens, exponential
 * smoothing, and the orders of which there are n-grams (its `effective_order`), since answers may be of one word.
 * @returns 0 to 1
 */
export function bleuOf(counts: Float64Array): number {
  const [expected, said] = [counts[0]!, counts[1]!];
  let logs = 0;
  let orders = 0;
  let smoothing = 1;
  let hasAny = false;
  for (let order = 1; order <= MAX_ORDER; order += 1) {
    const [hits, grams] = [counts[order * 2]!, counts[order * 2 + 1]!];
    if (grams === 0) break;
    orders += 1;
    hasAny ||= hits > 0;
    if (hits === 0) smoothing *= 2;
    logs += Math.log(hits === 0 ? 1 / (smoothing * grams) : hits / grams);
  }
  // Nothing in common: the smoothed figure would be meaningless.
  if (!hasAny) return 0;
  const brevity = said < expected ? Math.exp(1 - expected / said) : 1;
  return brevity * Math.exp(logs / orders);
}

function gramsOf(tokens: readonly string[], order: number): ReadonlyMap<string, number> {
  const grams = new Map<string, number>();
  for (let at = 0; at + order <= tokens.length; at += 1) {
    const gram = tokens.slice(at, at + order).join(' ');
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

/** The tokens of mteval-v13a, which sacreBLEU takes by default. */
const tokensOf = (text: string): readonly string[] =>
  ` ${text.replaceAll('-\n', '').replaceAll('\n', ' ')} `
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replaceAll(/([^0-9])([.,])/g, '$1 $2 ')
    .replaceAll(/([.,])([^0-9])/g, ' $1 $2')
    .replaceAll(/([0-9])(-)/g, '$1 $2 ')
    .split(/\s+/)
    .filter((token) => token !== '');
