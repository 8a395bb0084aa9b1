import type { Random } from '#gpu-runner/engine/builtin/random.js';
import { capitalised, filled, pick, weighted } from './choice.js';
import type { Coinage } from './coinage.js';
import type { WordLists } from './word-lists.js';

/** Makes one text. */
export type Filler = (random: Random) => string;

/** What stands in a slot of a template: its texts, and the entity type they are labelled with (null: not an entity). */
export interface Slot {
  readonly type: string | null;
  readonly fill: Filler;
}

interface GrammarContext {
  readonly lists: WordLists;
  readonly coinage: Coinage;
  /** Functions that rules may name beside each other. */
  readonly expressions: Readonly<Record<string, Filler>>;
}

/**
 * Reads rules in the notation explained in `names.txt`.
 * @returns the rules that are slots
 * @throws SyntaxError at an unclosed bracket; RangeError for a rule, expression or list that does not exist
 */
export function parseNameGrammar(source: string, context: GrammarContext): Map<string, Slot> {
  const rules = new Map<string, Filler>();
  const slots = new Map<string, Slot>();
  const names: string[] = [];
  for (const { name, type, body } of ruleLines(source)) {
    const fill = new AlternativeParser(body, context, rules, names).parse();
    rules.set(name, fill);
    if (type !== null) slots.set(name, { type: type === 'none' ? null : type, fill });
  }
  for (const name of names) {
    if (!rules.has(name) && !(name in context.expressions)) throw new RangeError(`There is no rule "${name}".`);
  }
  return slots;
}

function ruleLines(source: string): { name: string; type: string | null; body: string }[] {
  const joined = source
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//'))
    .join('\n')
    .replace(/\n +/g, ' ');
  return joined.split('\n').map((line) => {
    const match = /^(\w+)(?: -> (\w+))? =(?: (.*))?$/.exec(line);
    if (!match) throw new SyntaxError(`Not a rule: ${line}`);
    return { name: match[1]!, type: match[2] ?? null, body: match[3] ?? '' };
  });
}

/** Recursive descent over one alternative list; what it names is looked up when it is used, so rules may come in any order. */
class AlternativeParser {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly context: GrammarContext,
    private readonly rules: ReadonlyMap<string, Filler>,
    private readonly names: string[],
  ) {}

  parse(): Filler {
    const fill = this.alternatives(true);
    if (this.at < this.source.length) throw new SyntaxError(`Unexpected "${this.source.slice(this.at)}".`);
    return fill;
  }

  /** @param outer spaces around the bars of a rule are for reading; inside brackets they count */
  private alternatives(outer: boolean): Filler {
    const options: [number, Filler][] = [];
    do {
      options.push(this.alternative(outer));
    } while (this.take('|'));
    return options.length === 1 ? options[0]![1] : (random) => weighted(random, options)(random);
  }

  private alternative(outer: boolean): [number, Filler] {
    if (outer) while (this.take(' '));
    const weight = /^(\d*\.?\d+): ?/.exec(this.source.slice(this.at));
    if (weight) this.at += weight[0].length;
    const parts: Filler[] = [];
    let literal = '';
    const flush = () => {
      const text = literal;
      if (text !== '') parts.push(() => text);
      literal = '';
    };
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!)) {
      const mark = this.source[this.at++]!;
      if (mark === '(') {
        flush();
        parts.push(this.alternatives(false));
        if (!this.take(')')) throw new SyntaxError(`No ")" in ${this.source}`);
      } else if (mark === '{') {
        flush();
        parts.push(this.reference(this.until('}')));
      } else if (mark === '<') {
        flush();
        const pattern = this.until('>');
        parts.push((random) => filled(random, pattern));
      } else literal += mark;
    }
    if (outer) literal = literal.trimEnd();
    flush();
    return [weight ? Number(weight[1]) : 1, (random) => parts.map((part) => part(random)).join('')];
  }

  private reference(text: string): Filler {
    const match = /^([=!@]?)([\w.-]+?)(?::([\w-]+))?([\^_+%]?)$/.exec(text);
    if (!match) throw new SyntaxError(`Not a reference: {${text}}`);
    const [, kind = '', name = '', className = name, modifier = ''] = match;
    const fill = this.target(kind, name, className);
    const modify = modifiers[modifier];
    return modify ? (random) => modify(fill(random)) : fill;
  }

  private target(kind: string, name: string, className: string): Filler {
    const { lists, coinage, expressions } = this.context;
    if (kind === '') {
      this.names.push(name);
      return (random) => (this.rules.get(name) ?? expressions[name]!)(random);
    }
    const list = lists.get(name);
    if (kind === '!') return (random) => coinage.pick(random, className, list);
    if (kind === '=') return (random) => pick(random, list);
    const fillers = list.map((item) => new AlternativeParser(item, this.context, this.rules, this.names).parse());
    return (random) => pick(random, fillers)(random);
  }

  private take(mark: string): boolean {
    if (this.source[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  private until(mark: string): string {
    const end = this.source.indexOf(mark, this.at);
    if (end < 0) throw new SyntaxError(`No "${mark}" in ${this.source}`);
    const text = this.source.slice(this.at, end);
    this.at = end + 1;
    return text;
  }
}

const modifiers: Readonly<Record<string, (text: string) => string>> = {
  '^': capitalised,
  _: (text) => text.toLowerCase(),
  '+': plural,
  '%': (text) =>
    text.replace(/(^|[ -])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase()),
};

/** Regular plural of an English noun. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
