import type { WordLists } from './word-lists.js';

/** Listed words too common with another meaning to be labelled wherever a template writes them. */
const ambiguous = new Set([
  'general', 'major', 'cook', 'model', 'partner', 'manager', 'cardinal', 'king', 'queen', 'prince', 'princess', 'commander', 'driver', 'owner',
  'cleaner', 'miner', 'guest', 'producer', 'trader', 'volunteer', 'director', 'editor', 'tester', 'captain', 'painter', 'founder', 'tenant',
  'landlord', 'defender', 'pitcher', 'broker', 'DJ', 'pope', 'judge', 'priest', 'orange', 'oranges', 'dates', 'turkey', 'duck', 'bat', 'bats', 'pool',
  'running', 'shooting', 'diving', 'climbing', 'gold', 'silver', 'rose', 'plum', 'plums', 'peach', 'salmon', 'apricot', 'mint', 'cream', 'copper',
  'bronze', 'chocolate', 'mole', 'worm', 'seal', 'bear', 'bull', 'robin', 'mouse', 'stroke', 'plague', 'a cold', 'lead', 'iron', 'bleach', 'carbon',
  'chips', 'cherries', 'apple', 'apples', 'lime', 'lemon', 'water', 'salt', 'sugar', 'spring', 'ginger', 'pepper', 'corn', 'ham', 'figs', 'wrap',
  'toast', 'lamb', 'beef', 'jam', 'bread', 'eggs', 'tan', 'navy', 'coral', 'olive', 'violet', 'lavender', 'mustard', 'teal', 'aqua', 'fish', 'ant',
]); // prettier-ignore

const relativeDates =
  /\b(?:yesterday|today|tomorrow|the weekend|(?:last|next|this) (?:week|month|year|weekend|summer|spring|autumn|winter|fall)|a year (?:ago|earlier))\b/gi;
const timesOfDay = /\b(?:tonight|last night|this (?:morning|afternoon|evening))\b/gi;
const durations =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several) (?:seconds|minutes|hours|days|weeks|months|years|decades)(?! (?:ago|from|old))\b/gi;
const numberWords = /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/gi;

/**
 * Labels what templates write out in full: relative dates, small numbers, job words, sports, animals, food, colours. Without it
 * the same word would be an entity in a slot and none beside it.
 */
export class LiteralTagger {
  private readonly lists: readonly (readonly [expression: RegExp, type: string])[];

  constructor(lists: WordLists) {
    this.lists = [
      [anyOf(lists.get('job_title')), 'job_title'],
      [anyOf(lists.get('sport')), 'sport'],
      [anyOf(lists.get('animal')), 'animal'],
      [anyOf(lists.get('food')), 'food'],
      [anyOf(lists.get('color')), 'color'],
      [timesOfDay, 'time'],
      [relativeDates, 'date'],
      [durations, 'duration'],
      [numberWords, 'number'],
    ];
  }

  /** Cuts a literal text into labelled and unlabelled pieces. */
  tag(text: string): { text: string; type: string | null }[] {
    const found: { start: number; end: number; type: string }[] = [];
    for (const [expression, type] of this.lists) {
      for (const match of text.matchAll(expression)) {
        const span = { start: match.index, end: match.index + match[0].length, type };
        if (!found.some(({ start, end }) => span.start < end && start < span.end)) found.push(span);
      }
    }
    found.sort((a, b) => a.start - b.start);
    const pieces: { text: string; type: string | null }[] = [];
    let at = 0;
    for (const { start, end, type } of found) {
      if (start > at) pieces.push({ text: text.slice(at, start), type: null });
      pieces.push({ text: text.slice(start, end), type });
      at = end;
    }
    if (at < text.length) pieces.push({ text: text.slice(at), type: null });
    return pieces;
  }
}

/** Longest first, whole words, regardless of case. */
function anyOf(phrases: readonly string[]): RegExp {
  const sources = phrases
    .filter((phrase) => !ambiguous.has(phrase))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((phrase) => phrase.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(String.raw`(?<![\w-])(?:${sources.join('|')})(?![\w-])`, 'gi');
}
