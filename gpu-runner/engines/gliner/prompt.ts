import { RefusedSchemaError } from '../encoder-engine.js';
import type { EntityQuery } from '../engine.js';
import type { GlinerGraph } from './graph.js';

/** Minimum tokens that labels must leave for a text. */
const MIN_TEXT_TOKENS = 32;
/** Of a label or its description. Longer ones are not even tokenized, which would take long. */
const MAX_LABEL_CHARACTERS = 10_000;

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
  const ids = [...marks.before];
  const room = contextTokens - MIN_TEXT_TOKENS - marks.after.length - 1;
  for (const { name, description = name } of queries) {
    const named = JSON.stringify(name.slice(0, 100));
    if (description.length > MAX_LABEL_CHARACTERS)
      throw new RefusedSchemaError(
        `\`entities\` must have descriptions of at most ${MAX_LABEL_CHARACTERS} characters (${named} has ${description.length})`,
      );
    const own = tokens(description.toWellFormed());
    if (own.includes(ent) || own.includes(sep))
      throw new RefusedSchemaError(
        `\`entities\` must not contain ${entToken} or ${sepToken}, which separate labels: rename ${named}`,
      );
    ids.push(ent, ...own);
    if (ids.length > room)
      throw new RefusedSchemaError(
        `\`schema\` is too long for the model: its labels take more than ${room} of ${contextTokens} tokens; send fewer or shorter ones`,
      );
  }
  ids.push(sep);
  return { ids, textTokens: contextTokens - ids.length - marks.after.length };
}
