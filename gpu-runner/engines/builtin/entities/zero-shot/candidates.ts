import type { Token } from '#primitives/text/tokens.js';

/** A stretch of tokens, end exclusive, that may be an entity. */
export interface Candidate {
  readonly first: number;
  readonly end: number;
  /** Whether it is a whole run of capitalised words, the small words inside it included. */
  readonly isCapitalRun: boolean;
  /** Whether it is a whole run of words that can stand in names. */
  readonly isWordRun: boolean;
}

type Stretch = Pick<Candidate, 'first' | 'end'>;

/** Words of a name without a small word between them: longer ones are found by the base model or by their capitals. */
const MAX_WORDS = 4;

const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those some any no every each either neither both all few many much several such what which who whom whose
  i me my mine you your yours he him his she her hers it its we us our ours they them their theirs one ones myself yourself himself herself
  itself ourselves themselves and or but nor so yet if then than as because since while when where whether although though unless until before
  after once in on at by for with from to of into onto over under about against between among through during without within along across behind
  beyond near off up down out around toward towards upon per via like is are was were be been being am do does did done doing have has had having
  can could will would shall should may might must not n't 's 're 've 'll 'd 'm ’s ’re ’t ’m there here now also just only even still again very too
  more most less least other another same own never always often soon later ago already ever please ok hey hi oh omg lol yes how why let got get
  go goes went gone make makes made take takes took come comes came say says said see saw seen know want need first second last next new old two
  three four five six seven eight nine ten`.split(/\s+/),
);
/** Small words and signs that join the capitalised words of one name. */
const LINKS: ReadonlySet<string> = new Set("of the and for de von van di da du la le el - & . ' ’s 's".split(' '));

export const isFunctionWord = (word: string): boolean => FUNCTION_WORDS.has(word.toLowerCase());
export const isCapitalised = (word: string): boolean => /^(?:\p{Lu}|[#@].)/u.test(word);
export const isWord = (word: string): boolean => /\p{L}/u.test(word);
const isLink = (word: string | undefined): boolean => word !== undefined && LINKS.has(word.toLowerCase());

/**
 * Stretches of one segment that may be entities: those that the base model thinks of; runs of capitalised words, and what is left of
 * them when they are cut at small words; and the beginnings, ends and single words of runs without function words, which hold 86 to
 * 100% of the entities of test rows.
 * @param likely those of the base model
 * @returns in text order
 */
export function candidatesOf(tokens: readonly Token[], likely: readonly Stretch[]): readonly Candidate[] {
  const words = tokens.map(({ text }) => text);
  const capitals = capitalRuns(words);
  const plain = wordRuns(words);
  const found = new Map<string, Candidate>();
  const isRun = (runs: readonly Stretch[], { first, end }: Stretch) =>
    runs.some((run) => run.first === first && run.end === end);
  for (const stretch of [
    ...likely,
    ...capitals.flatMap((run) => partsAtLinks(words, run)),
    ...plain.flatMap(partsOfRun),
  ]) {
    const { first, end } = stretch;
    found.set(`${first} ${end}`, {
      first,
      end,
      isCapitalRun: isRun(capitals, stretch),
      isWordRun: isRun(plain, stretch),
    });
  }
  return [...found.values()].sort((a, b) => a.first - b.first || a.end - b.end);
}

function capitalRuns(words: readonly string[]): readonly Stretch[] {
  const runs: Stretch[] = [];
  for (let first = 0; first < words.length;) {
    if (!isCapitalised(words[first]!)) {
      first++;
      continue;
    }
    let end = first + 1;
    for (let at = end; at < words.length; at++) {
      const goesOn = isCapitalised(words[at]!) || (at === end && /^\p{Nd}/u.test(words[at]!));
      if (goesOn) end = at + 1;
      else if (!isLink(words[at]) || !leadsOn(words, at + 1)) break;
    }
    runs.push({ first, end });
    first = end;
  }
  return runs;
}

/** Whether a capitalised word follows here, or after one more small word. */
const leadsOn = (words: readonly string[], at: number): boolean =>
  isCapitalised(words[at] ?? '') || (isLink(words[at]) && isCapitalised(words[at + 1] ?? ''));

/** A run, and its beginnings, ends and middles between its small words. */
function partsAtLinks(words: readonly string[], { first, end }: Stretch): readonly Stretch[] {
  const parts: Stretch[] = [{ first, end }];
  const isCut = (at: number) => isLink(words[at]) && !isCapitalised(words[at]!);
  let from = first;
  for (let at = first + 1; at <= end; at++) {
    if (at < end && !isCut(at)) continue;
    if (from < at) parts.push({ first: from, end: at }, { first, end: at });
    from = at + 1;
    if (from < end) parts.push({ first: from, end });
  }
  if (isFunctionWord(words[first]!) && first + 1 < end) parts.push({ first: first + 1, end });
  return parts;
}

function wordRuns(words: readonly string[]): readonly Stretch[] {
  const runs: Stretch[] = [];
  const mayName = (word: string) => !isFunctionWord(word);
  for (let first = 0; first < words.length; first++) {
    if (!isWord(words[first]!) || !mayName(words[first]!)) continue;
    let end = first + 1;
    while (end < words.length && (isWord(words[end]!) || /^\p{Nd}+$/u.test(words[end]!)) && mayName(words[end]!)) end++;
    runs.push({ first, end });
    first = end - 1;
  }
  return runs;
}

/** The beginnings and ends of a run up to the limit, and its single words. */
function partsOfRun({ first, end }: Stretch): readonly Stretch[] {
  const parts: Stretch[] = [];
  for (let length = 1; length <= Math.min(MAX_WORDS, end - first); length++)
    parts.push({ first, end: first + length }, { first: end - length, end });
  for (let at = first; at < end; at++) parts.push({ first: at, end: at + 1 });
  return parts;
}
