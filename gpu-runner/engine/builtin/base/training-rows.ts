import type { Example } from '../../engine.js';
import type { Coinage } from './coinage.js';
import { buildSlots, type Lexicons } from './fillers.js';
import { SentenceGenerator } from './generator.js';
import { readTemplates } from './templates.js';

/**
 * @param coinage is told what it coins
 * @returns `rounds` rows of each template and `drawn` rows more, always the same for the same seed
 */
export function trainingRows(lexicons: Lexicons, seed: number, rounds: number, drawn: number, coinage: Coinage): Example[] {
  const generator = new SentenceGenerator({ templates: readTemplates(), slots: buildSlots(lexicons, coinage), lexicons, seed });
  return generator.rows(rounds, drawn);
}
