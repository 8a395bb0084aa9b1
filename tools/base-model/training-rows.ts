import type { Example } from '#gpu-runner/engines/engine.js';
import type { Coinage } from './coinage.js';
import { SentenceGenerator } from './generator.js';
import { buildSlots } from './slots.js';
import { readTemplates } from './templates.js';
import type { WordLists } from './word-lists.js';

/**
 * @param coinage is told what it coins
 * @returns `rounds` rows of each template and `drawn` rows more, always the same for the same seed
 */
export function trainingRows(
  lists: WordLists,
  seed: number,
  rounds: number,
  drawn: number,
  coinage: Coinage,
): Example[] {
  const generator = new SentenceGenerator({
    templates: readTemplates(),
    slots: buildSlots(lists, coinage),
    lists,
    seed,
  });
  return generator.rows(rounds, drawn);
}
