import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { join } from 'node:path';
import { ImportError } from './import-error.js';
import { readJson } from './read-json.js';

/** Parts of `tokenizer.json` that are run on texts, and have regular expressions. */
const PARTS = ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder'];
/** Repetitions that count as any number. */
const MANY = 25;
const SHOWN = 100;

/**
 * Refuses a tokenizer with a regular expression on which some text takes exponential or cubic time: it is run on texts of callers, on a
 * thread that nothing could end.
 * @throws ImportError
 */
export function requireSafePatterns(folder: string, files: readonly string[]): void {
  if (!files.includes('tokenizer.json')) return;
  const path = join(folder, 'tokenizer.json');
  const tokenizer = readJson(path);
  for (const pattern of PARTS.flatMap((part) => patternsIn(tokenizer[part])))
    if (isExplosive(pattern))
      throw new ImportError(
        `${path}: on some texts the regular expression ${JSON.stringify(pattern.slice(0, SHOWN))} takes far longer than their length ` +
          '(a group that varies is repeated, or two unbounded repetitions stand before what must follow)',
      );
}

function patternsIn(part: unknown): readonly string[] {
  const found: string[] = [];
  for (const left = [part]; left.length > 0;) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value))
      if (name === 'Regex' && typeof member === 'string') found.push(member);
      else left.push(member);
  }
  return found;
}

/** Whether the time of a search may grow faster than the square of the text's length. False for what is no JavaScript: it is never run. */
export function isExplosive(pattern: string): boolean {
  const parsed = parse(pattern);
  return parsed !== null && parsed.alternatives.some((each) => isVaryingRepeated(each.elements) || degree(each) > 1);
}

function parse(pattern: string): AST.Pattern | null {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  for (const unicode of [true, false])
    try {
      return parser.parsePattern(pattern, 0, pattern.length, { unicode });
    } catch {
      // Without the flag more is allowed.
    }
  return null;
}

const alternativesOf = (element: AST.Element): readonly AST.Alternative[] =>
  'alternatives' in element ? element.alternatives : [];

/** Whether something is repeated that itself can match one text in several ways: `(a+)+`, `(a|a)*`. */
function isVaryingRepeated(elements: readonly AST.Element[]): boolean {
  return elements.some((element) => {
    const inner = element.type === 'Quantifier' ? element.element : element;
    if (element.type === 'Quantifier' && element.max > 1 && isVarying(inner)) return true;
    return alternativesOf(inner).some((each) => isVaryingRepeated(each.elements));
  });
}

function isVarying(element: AST.Element): boolean {
  if (element.type === 'Quantifier') return element.min !== element.max || isVarying(element.element);
  const alternatives = alternativesOf(element);
  return alternatives.length > 1 || alternatives.some((each) => each.elements.some(isVarying));
}

/** How many unbounded repetitions stand before something that must follow, so that a search goes back into them. */
function degree({ elements }: AST.Alternative): number {
  let [sum, isFollowed] = [0, false];
  for (const element of elements.toReversed()) {
    sum += isFollowed ? unbounded(element) : Math.max(0, ...alternativesOf(element).map(degree));
    isFollowed ||= !(element.type === 'Quantifier' && element.min === 0);
  }
  return sum;
}

function unbounded(element: AST.Element): number {
  if (element.type === 'Quantifier') return element.max > MANY ? 1 : unbounded(element.element);
  const counts = alternativesOf(element).map(({ elements }) =>
    elements.reduce((sum, each) => sum + unbounded(each), 0),
  );
  return Math.max(0, ...counts);
}
