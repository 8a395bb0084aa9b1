import type { Random } from '#gpu-runner/engines/builtin/random.js';
import { chosen, parseTemplate, slotsOf, templateLines } from '#rows/synthetic/templates/template.js';
import { capitalised, filled, pick, weighted } from './choice.js';
import type { Coinage } from './coinage.js';
import type { WordLists } from './word-lists.js';

/** Makes one text. */
export type Filler = (random: Random) => string;

/** The fillings of a template's slot, and the entity type of their label (null: not an entity). */
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
    const fill = fillerOf(body, context, rules, names);
    rules.set(name, fill);
    if (type !== null) slots.set(name, { type: type === 'none' ? null : type, fill });
  }
  for (const name of names) {
    if (!rules.has(name) && !(name in context.expressions)) throw new RangeError(`There is no rule "${name}".`);
  }
  return slots;
}

function ruleLines(source: string): { name: string; type: string | null; body: string }[] {
  const joined = templateLines(source).join('\n').replace(/\n +/g, ' ');
  return joined.split('\n').map((line) => {
    const match = /^(\w+)(?: -> (\w+))? =(?: (.*))?$/.exec(line);
    if (!match) throw new SyntaxError(`Not a rule: ${line}`);
    return { name: match[1]!, type: match[2] ?? null, body: match[3] ?? '' };
  });
}

/**
 * Compiles a list of alternatives. References are resolved on use, so rules may come in any order.
 * @param names receives the referenced rules and expressions
 */
function fillerOf(body: string, context: GrammarContext, rules: ReadonlyMap<string, Filler>, names: string[]): Filler {
  const options = outerAlternatives(body);
  const template = parseTemplate(options.length === 1 ? options[0]! : `[${options.join('|')}]`);
  const fillers = new Map(slotsOf(template).map(({ written }) => [written, reference(written)]));
  return (random) => {
    let text = '';
    for (const part of chosen(template, (choices) =>
      weighted(
        random,
        choices.map((choice) => [choice.weight, choice]),
      ),
    ))
      text += part.kind === 'slot' ? fillers.get(part.written)!(random) : patterned(random, part.text);
    return text;
  };

  function reference(written: string): Filler {
    const match = /^([=!@]?)([\w.-]+?)(?::([\w-]+))?([\^_+%]?)$/.exec(written);
    if (!match) throw new SyntaxError(`Not a reference: {${written}}`);
    const [, kind = '', name = '', className = name, modifier = ''] = match;
    const fill = target(kind, name, className);
    const modify = modifiers[modifier];
    return modify ? (random) => modify(fill(random)) : fill;
  }

  function target(kind: string, name: string, className: string): Filler {
    const { lists, coinage, expressions } = context;
    if (kind === '') {
      names.push(name);
      return (random) => (rules.get(name) ?? expressions[name]!)(random);
    }
    const list = lists.get(name);
    if (kind === '!') return (random) => coinage.pick(random, className, list);
    if (kind === '=') return (random) => pick(random, list);
    const fillers = list.map((item) => fillerOf(item, context, rules, names));
    return (random) => pick(random, fillers)(random);
  }
}

/** Spaces around the bars of a rule are for reading; inside brackets they count. */
function outerAlternatives(body: string): string[] {
  const options = [''];
  let depth = 0;
  for (const mark of body) {
    depth += mark === '[' ? 1 : mark === ']' ? -1 : 0;
    if (mark === '|' && depth === 0) options.push('');
    else options[options.length - 1] += mark;
  }
  return options.map((option) => option.trim());
}

const patterned = (random: Random, text: string): string =>
  text.replace(/<([^>]*)>/g, (_, pattern: string) => filled(random, pattern));

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
