import type { Example, Span } from '#gpu-runner/engines/engine.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { parseTemplate, slotsOf, type Slot as SlotMark, type Template } from '#rows/synthetic/templates/template.js';
import { capitalised, chance, pick } from './choice.js';
import { LiteralTagger } from './literal-tagger.js';
import type { Slot } from './name-grammar.js';
import { expandTemplate, type SentenceTemplate } from './templates.js';
import type { WordLists } from './word-lists.js';

/** A stretch of a generated text: labelled when it is an entity. */
interface Piece {
  text: string;
  readonly type: string | null;
}

/** The style of a register, as shares of its rows. */
interface Style {
  readonly lower: number;
  readonly upper: number;
  readonly headline: number;
  /** Leaves the spaces that a newswire tokeniser puts before punctuation. */
  readonly spaced: number;
  readonly noFullStop: number;
  /** Two sentences, or one with an opening or a closing clause. */
  readonly composed: number;
  /** Has an emoji. */
  readonly emoji: number;
}

const ordinary: Style = {
  lower: 0.1,
  upper: 0.02,
  headline: 0.02,
  spaced: 0.25,
  noFullStop: 0.15,
  composed: 0.3,
  emoji: 0.02,
};
const styles: Readonly<Record<string, Style>> = {
  assistant: { lower: 0.65, upper: 0.01, headline: 0.01, spaced: 0.3, noFullStop: 0.5, composed: 0.12, emoji: 0.02 },
  social: { lower: 0.35, upper: 0.05, headline: 0.02, spaced: 0.4, noFullStop: 0.5, composed: 0.25, emoji: 0.3 },
  newswire: { lower: 0.03, upper: 0.05, headline: 0.04, spaced: 0.6, noFullStop: 0.05, composed: 0.4, emoji: 0 },
  sport: { lower: 0.05, upper: 0.06, headline: 0.02, spaced: 0.6, noFullStop: 0.1, composed: 0.15, emoji: 0 },
  forms: { lower: 0.08, upper: 0.05, headline: 0, spaced: 0.3, noFullStop: 0.5, composed: 0.1, emoji: 0 },
};

const EMOJI = [
  '😀',
  '😂',
  '🎉',
  '❤️',
  '😍',
  '👍',
  '🙏',
  '🔥',
  '✨',
  '😭',
  '🙂',
  '😅',
  '✈️',
  '🇩🇪',
  '👍🏽',
  '☀️',
  '💪',
  '👀',
  '🎂',
  '🚀',
];

/** Share of rows whose wording is disturbed, and of words in them. */
const scrambledRows = 0.5;
const scrambledWords = 0.5;

const openers = [
  'On {date} ,', 'In {city} ,', 'In {year} ,', 'Last week ,', 'Yesterday ,', 'According to {company} ,', 'According to {person} ,', 'As {person} said ,', 'Hi {first} ,', 'Hello ,', 'Hey ,', '{first} :', 'Note :', 'Update :', 'FYI ,', 'By the way ,', 'However ,', 'But', 'And', 'Well ,', 'So', 'Meanwhile ,', 'Also ,', 'In addition ,', 'Still ,', 'Then', 'I heard that', 'He said', 'She says', 'It is said that', 'Did you know that', 'I think', 'We know that', 'Apparently ,', 'In {country} ,', 'At {time} ,', 'After {duration} ,', '"', '-', '*', '>', 'Q :', 'A :', '{date} :', '{username}', '{username} :', 'Dear {first} ,', 'Please note :', 'For {money} ,', 'At {company} ,', 'Next week ,', 'Good news :', 'Sadly ,',
].map(parseTemplate); // prettier-ignore
const closers = [
  ', {person} said .', ', he said .', ', she said on {weekday} .', ', {company} reported .', ', officials said .', ', police said .', ', said {person} .', ', according to {company} .', ', {last} told reporters .', 'and left .', ', I think .', ', right ?', ', please .', '. Thanks !', '. Thank you .', '. Best , {first}', '. Regards , {person}', '!!', '...', '. Call me at {phone} .', ', but nobody knows why .', ', as always .', ', {last} added .', ', a {company} spokesman said .', '. See {url} .', 'lol', '{hashtag}', '{url}', '. It was {adj} .', ', which is {adj} .', ', the {nationality} news agency {company} reported .', '. Any ideas ?', '. {first}', 'last year .', 'on {date} .', 'in {city} .', 'again .',
].map(parseTemplate); // prettier-ignore
const phrases = ['{adj} {noun}', 'the {noun}', '{verb} the {nouns}', '{adj} and {adj}'].map(parseTemplate);
const titledNames = ['{last}', '{last}', '{person}', '{first}'].map(parseTemplate);

interface GeneratorOptions {
  readonly templates: readonly SentenceTemplate[];
  readonly slots: ReadonlyMap<string, Slot>;
  readonly lists: WordLists;
  readonly seed: number;
}

/** Makes labelled sentences. The same options give the same sentences. */
export class SentenceGenerator {
  private readonly random: Random;
  private readonly cumulative: Float64Array;
  private readonly byRegister = new Map<string, SentenceTemplate[]>();
  private readonly literals: LiteralTagger;
  /** Everyday words, small ones several times. */
  private readonly words: readonly string[];

  constructor(private readonly options: GeneratorOptions) {
    this.random = new Random(options.seed);
    let total = 0;
    const rarity = rarityOfSlots(options.templates);
    this.cumulative = Float64Array.from(options.templates, (template) => (total += template.weight * rarity(template)));
    for (const template of options.templates) {
      const list = this.byRegister.get(template.register) ?? [];
      list.push(template);
      this.byRegister.set(template.register, list);
    }
    this.literals = new LiteralTagger(options.lists);
    const { nouns, verbs, adjectives, adverbs } = options.lists.locale;
    const small = options.lists.get('function-words');
    this.words = [...small, ...small, ...small, ...nouns, ...verbs, ...adjectives, ...adverbs];
  }

  /** @returns `rounds` rows of every template and then `drawn` rows of templates drawn by weight */
  rows(rounds: number, drawn: number): Example[] {
    const rows: Example[] = [];
    for (let round = 0; round < rounds; round++)
      for (const template of this.options.templates) rows.push(this.row(template));
    for (let i = 0; i < drawn; i++) rows.push(this.row(this.draw()));
    return rows;
  }

  /** Makes one labelled text from a template. */
  row(template: SentenceTemplate): Example {
    const style = styles[template.register] ?? ordinary;
    let pieces = this.pieces(template.template);
    if (chance(this.random, style.composed)) pieces = this.compose(template, pieces);
    if (chance(this.random, scrambledRows)) this.scramble(pieces);
    if (!chance(this.random, style.spaced)) closeUp(pieces);
    this.recase(pieces, style);
    if (chance(this.random, style.noFullStop)) dropFullStop(pieces);
    if (chance(this.random, style.emoji)) this.addEmoji(pieces);
    return assemble(pieces);
  }

  private draw(): SentenceTemplate {
    const target = this.random.next() * this.cumulative[this.cumulative.length - 1]!;
    let low = 0;
    let high = this.cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.cumulative[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return this.options.templates[low]!;
  }

  private pieces(template: Template): Piece[] {
    return expandTemplate(this.random, template).flatMap((part) =>
      part.kind === 'text' ? this.literals.tag(part.text) : this.fill(part),
    );
  }

  private fill({ name, style }: SlotMark): Piece[] {
    if (name === 'titled') return this.titled();
    if (name === 'phrase') return this.pieces(pick(this.random, phrases));
    const slot = this.options.slots.get(name);
    if (!slot) throw new Error(`No such slot: {${name}}.`);
    const text = slot.fill(this.random);
    if (style === 'upper') return [{ text: text.toUpperCase(), type: slot.type }];
    const piece: Piece = { text: style === 'capital' ? capitalised(text) : text, type: slot.type };
    return slot.type !== null && slot.type !== 'date' && piece.text.startsWith('the ')
      ? [
          { text: 'the ', type: null },
          { ...piece, text: piece.text.slice('the '.length) },
        ]
      : [piece];
  }

  private titled(): Piece[] {
    const title = pick(this.random, ['Mr.', 'Mrs.', 'Ms.', 'Dr.', 'Dr', 'Mr', 'Prof.', 'Professor', 'Sir', 'Aunt', 'Uncle', 'Miss', 'Sister', 'Father', 'Lady', 'Lord', 'Judge', 'Captain']); // prettier-ignore
    return [{ text: `${title} `, type: null }, ...this.pieces(pick(this.random, titledNames))];
  }

  private compose(template: SentenceTemplate, pieces: Piece[]): Piece[] {
    const space: Piece = { text: ' ', type: null };
    const kind = this.random.next();
    if (kind < 0.35) return [...this.pieces(pick(this.random, openers)), space, ...pieces];
    if (kind < 0.6) {
      dropFullStop(pieces);
      return [...pieces, space, ...this.pieces(pick(this.random, closers))];
    }
    const other = this.pieces(pick(this.random, this.byRegister.get(template.register)!).template);
    return [...pieces, space, ...other];
  }

  /** Puts everyday words in place of some words around the entities: there, lists and shapes must tell what the entities are. */
  private scramble(pieces: Piece[]): void {
    for (const piece of pieces) {
      if (piece.type !== null) continue;
      piece.text = piece.text.replace(/(?<![\p{L}\p{N}'’])\p{L}{2,}(?![\p{L}'’])/gu, (word) => {
        if (!chance(this.random, scrambledWords)) return word;
        const other = pick(this.random, this.words);
        return word === capitalised(word) ? capitalised(other) : other;
      });
    }
  }

  /** After the text, or after one of its entities. */
  private addEmoji(pieces: Piece[]): void {
    const entities = pieces.flatMap(({ type }, index) => (type === null ? [] : [index]));
    const at = entities.length > 0 && chance(this.random, 0.6) ? pick(this.random, entities) : pieces.length - 1;
    const emoji = pick(this.random, EMOJI).repeat(chance(this.random, 0.2) ? 2 : 1);
    pieces.splice(at + 1, 0, { text: ` ${emoji}`, type: null });
  }

  private recase(pieces: Piece[], style: Style): void {
    const draw = this.random.next();
    const change =
      draw < style.lower
        ? (text: string) => text.toLowerCase()
        : draw < style.lower + style.upper
          ? (text: string) => text.toUpperCase()
          : draw < style.lower + style.upper + style.headline
            ? headline
            : null;
    if (change) for (const piece of pieces) if (!/@|:\/\/|\\|\/\w+\//.test(piece.text)) piece.text = change(piece.text);
  }
}

/**
 * Templates with slots that few others have are drawn more often, up to `maxBoost` times: a type that is hardly ever seen is
 * hardly ever predicted.
 * @returns the factor for a template: that of its rarest slot
 */
function rarityOfSlots(templates: readonly SentenceTemplate[]): (template: SentenceTemplate) => number {
  const uses = new Map<string, number>();
  for (const { template, weight } of templates)
    for (const { name } of slotsOf(template)) uses.set(name, (uses.get(name) ?? 0) + weight);
  const total = templates.reduce((sum, { weight }) => sum + weight, 0);
  return ({ template }) => {
    const rarest = Math.min(...slotsOf(template).map(({ name }) => uses.get(name)! / total));
    return Number.isFinite(rarest) ? Math.min(maxBoost, Math.max(1, Math.sqrt(usualShare / rarest))) : 1;
  };
}

const maxBoost = 3;
/** Uses of a slot per template above which nothing is boosted. */
const usualShare = 0.05;

function headline(text: string): string {
  return text.replace(
    /(^|[ "(])([a-z])(?=[a-z]{2})/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

/** Undoes the spacing of tokenised text, inside unlabelled pieces. */
function closeUp(pieces: Piece[]): void {
  for (const piece of pieces) {
    if (piece.type !== null) continue;
    piece.text = piece.text
      .replace(/ (['’](?:s|re|ve|ll|m|d|t)\b|n't\b)/g, '$1')
      .replace(/ ([,.!?;:)%]+)(?=\s|$)/g, '$1')
      .replace(/([("]) (?=\S|$)/g, '$1');
  }
}

function dropFullStop(pieces: Piece[]): void {
  const last = pieces.at(-1);
  if (last && last.type === null) last.text = last.text.replace(/\s*[.?!]+\s*$/, '');
}

function assemble(pieces: readonly Piece[]): Example {
  let text = '';
  const entities: Span[] = [];
  for (const piece of pieces) {
    const start = text.length;
    text += piece.text;
    if (piece.type !== null && piece.text !== '') entities.push({ start, end: text.length, label: piece.type });
  }
  return { text, entities };
}
