import type { Lexicons } from './fillers.js';

/** Job words too common with another meaning to be taken for a job wherever a template writes them. */
const ambiguousJobs = new Set(['general', 'major', 'cook', 'model', 'partner', 'manager', 'cardinal', 'king', 'queen', 'prince', 'princess', 'commander', 'driver', 'owner', 'cleaner', 'miner', 'guest', 'producer', 'trader', 'volunteer', 'director', 'editor', 'tester', 'captain', 'painter', 'founder', 'tenant', 'landlord', 'defender', 'pitcher', 'broker', 'DJ', 'pope', 'judge', 'priest']); // prettier-ignore

const relativeDates = /\b(?:yesterday|today|tomorrow|(?:last|next|this) (?:week|month|year|weekend|summer|spring|autumn|winter|fall)|a year (?:ago|earlier))\b/gi;
const timesOfDay = /\b(?:tonight|last night|this (?:morning|afternoon|evening))\b/gi;
const numberWords = /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/gi;

/**
 * Labels what templates write out in full: relative dates, small numbers and job words. Without it the same word would be an
 * entity in a slot and none beside it.
 */
export class LiteralTagger {
  readonly #jobs: RegExp;

  constructor(lexicons: Lexicons) {
    const jobs = lexicons.jobTitle
      .filter((job) => !ambiguousJobs.has(job))
      .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
      .map((job) => job.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    this.#jobs = new RegExp(String.raw`(?<![\w-])(?:${jobs.join('|')})(?![\w-])`, 'gi');
  }

  /** Cuts a literal text into labelled and unlabelled pieces. */
  tag(text: string): { text: string; type: string | null }[] {
    const found: { start: number; end: number; type: string }[] = [];
    const look = (expression: RegExp, type: string) => {
      for (const match of text.matchAll(expression)) {
        const span = { start: match.index, end: match.index + match[0].length, type };
        if (!found.some(({ start, end }) => span.start < end && start < span.end)) found.push(span);
      }
    };
    look(this.#jobs, 'job_title');
    look(timesOfDay, 'time');
    look(relativeDates, 'date');
    look(numberWords, 'number');
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
