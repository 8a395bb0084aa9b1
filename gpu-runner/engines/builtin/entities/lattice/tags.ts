/**
 * Numbers of BIO tags over L labels: 0 is O, 1 to L are B of label 0 to L-1, L+1 to 2L are I. I of a label may only follow
 * B or I of that label; nothing else is forbidden.
 */
export const OUTSIDE_TAG = 0;

export const tagCount = (labels: number): number => 2 * labels + 1;
export const beginTag = (label: number): number => 1 + label;
export const insideTag = (label: number, labels: number): number => 1 + labels + label;

/** Numbers of entities as tags are laid out, for one run of tokens; spans are token ranges, end exclusive, not overlapping. */
export function writeTags(tags: Uint16Array, at: number, spans: readonly TokenSpan[], labels: number): void {
  for (const { first, end, label } of spans) {
    tags[at + first] = beginTag(label);
    for (let i = first + 1; i < end; i++) tags[at + i] = insideTag(label, labels);
  }
}

/** A labelled run of tokens. */
export interface TokenSpan {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly label: number;
}

/** The spans that a legal tag sequence spells. */
export function readTags(tags: ArrayLike<number>, from: number, to: number, labels: number): TokenSpan[] {
  const spans: TokenSpan[] = [];
  for (let i = from; i < to;) {
    const tag = tags[i]!;
    if (tag < 1 || tag > labels) {
      i++;
      continue;
    }
    let end = i + 1;
    while (end < to && tags[end] === labels + tag) end++;
    spans.push({ first: i - from, end: end - from, label: tag - 1 });
    i = end;
  }
  return spans;
}
