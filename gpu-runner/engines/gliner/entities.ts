import type { EntityHit, EntityQuery } from '../engine.js';
import type { Steps } from '../steps.js';
import { withoutOverlaps } from '../without-overlaps.js';
import { feedsOf } from './feeds.js';
import type { GlinerGraph } from './graph.js';
import { promptOf } from './prompt.js';
import { candidatesIn, requireFew, type Candidate } from './scores.js';
import { windowsOf, type TokenizedWord } from './windows.js';
import { wordsOf, type Word } from './words.js';

/** Words of a text that are read, and characters of a word. Longer ones are cut, and the answer says so. */
const MAX_TEXT_WORDS = 50_000;
const MAX_WORD_CHARACTERS = 1_000;

export interface EntityAnswer {
  /** Keyed by the requested label. */
  readonly entities: Readonly<Record<string, readonly EntityHit[]>>;
  /** Tokens of the text. */
  readonly inputTokens: number;
  readonly truncated: boolean;
}

export interface EntityPlan {
  answer(text: string): Steps<EntityAnswer>;
}

interface EntityOptions {
  /** For queries without their own. */
  readonly threshold: number;
  /** No hit overlaps another. */
  readonly isFlat: boolean;
}

/** @throws RefusedSchemaError as `promptOf` */
export function planEntities(
  asked: readonly EntityQuery[],
  graph: GlinerGraph,
  { threshold, isFlat }: EntityOptions,
): EntityPlan {
  const queries = [...new Map(asked.toReversed().map((query) => [query.name, query])).values()].reverse();
  const thresholds = queries.map((query) => query.threshold ?? threshold);
  const prompt = promptOf(queries, graph);
  const { maxWidth, maxWords } = graph.config;
  const limits = { maxWords, maxTokens: prompt.textTokens, overlap: maxWidth };

  function* answer(text: string): Steps<EntityAnswer> {
    const read = new TextReader(text, graph, prompt.textTokens);
    const found = new Map<string, Candidate>();
    if (queries.length > 0)
      for (const { first, words } of windowsOf(read.words(), limits)) {
        const output = graph.run(feedsOf(prompt, words, graph));
        for (const candidate of candidatesIn(output, words.length, thresholds, graph.config)) {
          const moved = { ...candidate, start: candidate.start + first, end: candidate.end + first };
          const key = `${moved.start} ${moved.end} ${moved.label}`;
          // Two windows may see one span: the more confident view counts.
          if (moved.confidence > (found.get(key)?.confidence ?? -1)) found.set(key, moved);
        }
        requireFew(found.size);
        yield;
      }
    const entities: Record<string, EntityHit[]> = Object.fromEntries(queries.map(({ name }) => [name, []]));
    for (const { label, confidence, ...words } of withoutOverlaps([...found.values()], { mayNest: !isFlat })) {
      const { name } = queries[label]!;
      const [start, end] = [read.places[words.start]!.start, read.places[words.end - 1]!.end];
      entities[name]!.push({ start, end, label: name, text: text.slice(start, end), confidence });
    }
    return { entities, inputTokens: read.tokens, truncated: read.isCut };
  }
  return { answer };
}

/** Reads the words of a text one after the other, as far as they are needed. */
class TextReader {
  /** Places of the words that were read. */
  readonly places: Word[] = [];
  tokens = 0;
  isCut = false;

  constructor(
    private readonly text: string,
    private readonly graph: Pick<GlinerGraph, 'tokens'>,
    /** Tokens of one word at most. */
    private readonly maxTokens: number,
  ) {}

  *words(): Generator<TokenizedWord> {
    for (const { start, end } of wordsOf(this.text)) {
      if (this.places.length === MAX_TEXT_WORDS) {
        this.isCut = true;
        return;
      }
      const readEnd = Math.min(end, start + MAX_WORD_CHARACTERS);
      const ids = this.graph.tokens(this.text.slice(start, readEnd).toWellFormed());
      // The tokenizer leaves nothing of some signs, such as those that choose the look of an emoji: the model sees no word.
      if (ids.length === 0) continue;
      this.isCut ||= readEnd < end || ids.length > this.maxTokens;
      const word = { start, end, ids: ids.slice(0, this.maxTokens) };
      this.places.push({ start, end });
      this.tokens += word.ids.length;
      yield word;
    }
  }
}
