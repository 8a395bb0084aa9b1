import { RefusedSchemaError } from '../encoder-engine.js';
import type { EntityQuery } from '../engine.js';
import type { GlinerGraph } from './graph.js';

/** Minimum tokens that labels must leave for a text. */
const MIN_TEXT_TOKENS = 32;

/** The labels of a call, as the model reads them before a text. */
export interface Prompt {
  readonly ids: readonly number[];
  /** Tokens that are left for a text. */
  readonly textTokens: number;
}

/**
 * The labels before a text, each after its mark. A described label is shown by its description alone, as the `gliner` package does.
 * @throws RefusedSchemaError when they leave too little room for a text, or hold a mark themselves
 */
export function promptOf(
  queries: readonly EntityQuery[],
  { config: { entToken, sepToken }, contextTokens, marks, tokens }: Omit<GlinerGraph, 'run'>,
): Prompt {
  const [ent, sep] = [tokens(entToken)[0]!, tokens(sepToken)[0]!];
  const labels = queries.map(({ name, description }) => {
    const ids = tokens((description ?? name).toWellFormed());
    if (ids.includes(ent) || ids.includes(sep))
      throw new RefusedSchemaError(
        `\`entities\` must not contain ${entToken} or ${sepToken}, which separate labels: rename ${JSON.stringify(name.slice(0, 100))}`,
      );
    return [ent, ...ids];
  });
  const ids = [...marks.before, ...labels.flat(), sep];
  const taken = ids.length + marks.after.length;
  const textTokens = contextTokens - taken;
  if (textTokens < MIN_TEXT_TOKENS)
    throw new RefusedSchemaError(
      `\`schema\` is too long for the model: it takes ${taken} of ${contextTokens} tokens; send fewer or shorter labels`,
    );
  return { ids, textTokens };
}
