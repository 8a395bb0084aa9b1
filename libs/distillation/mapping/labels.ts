/** A label within an answer, and what stands around it. */
export interface PeeledLabel {
  readonly core: string;
  readonly before: string;
  readonly after: string;
}

/** Labels as words: each answer is one of a few, or several of them. */
export interface LabelMapping {
  readonly kind: 'labels';
  /** Folded label to the spelling that is written; the labels of rows are these spellings. */
  readonly spellings: Readonly<Record<string, string>>;
  /** What stands between several labels; null if each answer is one. */
  readonly separator: string | null;
  /** What stands around the label, without explanations. */
  readonly before: string;
  readonly after: string;
}

const LEAD =
  /^(?:the )?(?:[\w ]{0,30})?(?:labels?|categor(?:y|ies)|class(?:es)?|classification|intents?|answers?|queues?|topics?|sentiment|results?|outputs?|types?|tags?|route|priority)(?:\s*[:=]\s*|\s+(?:is|are)\s*:?\s*)/i;
const FENCE = /^```[^\n`]*\n([\s\S]*?)\n?```/;
const MARKS = /^(?:\*\*|["'`*_\u201c\u2018]|[-\u2022]\s+)/;
/** Where an explanation begins. */
const EXPLANATION = /\n|\s[-\u2013\u2014]\s|\s?[,;(]?\s?\b(?:because|since)\b|\s\(|[.;:]\s/i;
const TRAILING = /(?:\*\*|["'`*_\u201d\u2019.!;:,\s])+$/;
/** A class must be seen so often, in nearly all answers, and there are at most a fifth as many as answers. */
export const SEEN = 3;
export const KNOWN = 0.95;
export const DISTINCT = 5;

/** Case, underscores and hyphens make no other label. */
export const foldLabel = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();

/** The label of an answer without fences, quotes, `Label:` and explanations. */
export function peelLabel(answer: string): PeeledLabel {
  let rest = answer.trim();
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = (FENCE.exec(rest)?.[1] ?? rest).replace(LEAD, '').replace(MARKS, '').trim();
  }
  const end = EXPLANATION.exec(rest);
  const core = (end === null || end.index === 0 ? rest : rest.slice(0, end.index)).replace(TRAILING, '');
  const at = answer.lastIndexOf(rest) + 0;
  const start = core === '' ? answer.length : answer.indexOf(core, Math.max(0, at));
  return { core, before: answer.slice(0, start), after: answer.slice(start + core.length) };
}

/** Proposes the labels of some answers. @returns null if they are none */
export function labelsOf(answers: readonly string[]): LabelMapping | null {
  const peeled = answers.map(peelLabel);
  const whole = peeled.map(({ core }) => [core]);
  const apart = peeled.map(({ core }) => core.split(/\s*[,;|]\s*/));
  const isSeveral = apart.some((each) => each.length > 1) && distinctOf(apart) < distinctOf(whole);
  const cores = isSeveral ? apart : whole;
  const spellings = spellingsOf(cores, answers.length);
  if (spellings === null) return null;
  const separators = peeled.flatMap(({ core }) => core.match(/\s*[,;|]\s*/g) ?? []);
  // An explanation is not written again.
  const around = peeled.map(({ before, after }) => JSON.stringify([before, /\p{L}/u.test(after) ? '' : after]));
  const [before, after] = JSON.parse(mostOf(around)) as [string, string];
  return { kind: 'labels', spellings, separator: isSeveral ? mostOf(separators) : null, before, after };
}

/** The labels of an answer, as rows have them. @returns null for one that is unknown */
export function readLabels({ spellings, separator }: LabelMapping, answer: string): readonly string[] | null {
  const { core } = peelLabel(answer);
  const found = (separator === null ? [core] : core.split(/\s*[,;|]\s*/)).map((label) => spellings[foldLabel(label)]);
  return found.includes(undefined) ? null : (found as readonly string[]);
}

export const writeLabels = ({ separator, before, after }: LabelMapping, labels: readonly string[]): string =>
  `${before}${labels.join(separator ?? ', ')}${after}`;

/** The commonest spelling of each label; null if too many answers have rare ones. */
function spellingsOf(cores: readonly (readonly string[])[], calls: number): Readonly<Record<string, string>> | null {
  const written = Map.groupBy(cores.flat(), foldLabel);
  const known = [...written].filter(([label, all]) => all.length >= SEEN && label !== '');
  const right = cores.filter((each) =>
    each.every((core) => (written.get(foldLabel(core))?.length ?? 0) >= SEEN),
  ).length;
  if (right < KNOWN * cores.length || known.length < 2 || known.length * DISTINCT > calls) return null;
  return Object.fromEntries(known.map(([label, all]) => [label, mostOf(all)]));
}

const distinctOf = (cores: readonly (readonly string[])[]): number => new Set(cores.flat().map(foldLabel)).size;

/** The text that comes most often, the first of several. */
export function mostOf(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0])[0];
}
