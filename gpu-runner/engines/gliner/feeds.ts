import type { GlinerConfig } from '#models/imported/index.js';
import { int64, type Feed } from '../packs/session.js';
import type { GlinerGraph } from './graph.js';
import type { Prompt } from './prompt.js';
import type { TokenizedWord } from './windows.js';

/** The inputs of a graph for one text of some words: the layout that the `gliner` package exports. */
export function feedsOf(
  { ids: prompt }: Prompt,
  words: readonly TokenizedWord[],
  { config, marks }: Pick<GlinerGraph, 'config' | 'marks'>,
): Record<string, Feed> {
  const ids = [...prompt, ...words.flatMap((word) => word.ids), ...marks.after];
  const mask = [
    ...prompt.map(() => 0),
    ...words.flatMap((word, index) => maskOf(word, index + 1, config)),
    ...marks.after.map(() => 0),
  ];
  const row = (data: readonly number[]): Feed => ({ type: 'int64', data: int64(data), dims: [1, data.length] });
  return {
    input_ids: row(ids),
    attention_mask: row(ids.map(() => 1)),
    words_mask: row(mask),
    text_lengths: row([words.length]),
    ...(config.mode === 'span' && spanFeeds(words.length, config.maxWidth)),
  };
}

/** The number of the word for each of its tokens that stand for it, 0 for the others. */
function maskOf({ ids }: TokenizedWord, number: number, { pooling }: GlinerConfig): readonly number[] {
  const chosen = pooling === 'first' ? 0 : ids.length - 1;
  return ids.map((_, at) => (pooling === 'all' || at === chosen ? number : 0));
}

/** First and last word of each span, the last inclusive, and whether it is within the text. */
function spanFeeds(words: number, maxWidth: number): Record<string, Feed> {
  const spans = words * maxWidth;
  const ends = new BigInt64Array(spans * 2);
  const inside = new Uint8Array(spans);
  for (let span = 0; span < spans; span++) {
    const first = Math.floor(span / maxWidth);
    const last = first + (span % maxWidth);
    ends[span * 2] = BigInt(first);
    ends[span * 2 + 1] = BigInt(last);
    inside[span] = Number(last < words);
  }
  return {
    span_idx: { type: 'int64', data: ends, dims: [1, spans, 2] },
    span_mask: { type: 'bool', data: inside, dims: [1, spans] },
  };
}
