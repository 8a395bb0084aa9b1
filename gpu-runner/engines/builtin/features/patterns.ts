import type { Token } from '#primitives/text/tokens.js';

/** In UTF-16 units. */
const MAX_TOKEN_LENGTH = 200;

const MONTH = String.raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const EDGE = String.raw`(?<![\p{L}\p{N}_])`;
const CLOSE = String.raw`(?![\p{L}\p{N}_])`;
const p = (source: string) => new RegExp(EDGE + source + CLOSE, 'giu');

/**
 * Classes of surface forms that a regular expression tells; a match may span several tokens. Repetitions that can fail late
 * are bounded. Trained models know a class by its place.
 */
const PATTERNS = Object.values({
  email: p(String.raw`[\p{L}\p{N}._%+\-]{1,64}@[\p{L}\p{N}\-]{1,63}(?:\.[\p{L}\p{N}\-]{1,63})+`),
  url: p(
    String.raw`(?:(?:https?:\/\/|www\.)[^\s<>"']+|[a-z0-9\-]{1,63}(?:\.[a-z0-9\-]{1,63}){0,8}\.(?:com|org|net|io|dev|co|edu|gov|ly|uk|de)(?:\/[^\s<>"']*)?)`,
  ),
  ip: p(String.raw`(?:\d{1,3}\.){3}\d{1,3}`),
  time: p(String.raw`(?:\d{1,2}[:.]\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?|\d{1,2}\s*(?:[ap]\.?m\.?|o['’]clock))`),
  date: p(
    String.raw`(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.\-]\d{1,2}[/.\-]\d{2,4}|${MONTH}\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?\s+${MONTH}(?:,?\s+\d{4})?|${MONTH}\s+\d{4})`,
  ),
  year: p(String.raw`(?:1[5-9]|20)\d{2}s?`),
  integer: p(String.raw`\d+`),
  decimal: p(String.raw`\d+[.,]\d+`),
  thousands: p(String.raw`\d{1,3}(?:[.,]\d{3})+`),
  currency:
    /\p{Sc}\s?\d[\d.,]{0,24}(?:\s?(?:k|m|bn|million|billion|thousand)(?![\p{L}\p{N}]))?|(?<![\p{L}\p{N}_])\d[\d.,]{0,24}\s?(?:\p{Sc}|(?:usd|eur|gbp|dollars?|euros?|pounds?|cents?|yen)(?![\p{L}\p{N}]))/giu,
  percent: /\d[\d.,]{0,24}\s?(?:%|percent(?![\p{L}\p{N}]))/giu,
  version: p(String.raw`v?\d+\.\d+\.\d+(?:[\-+][\p{L}\p{N}.]+)?`),
  uuid: p(String.raw`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
  code: p(String.raw`(?=[\p{L}\-]{0,40}\d)(?=[\d\-]{0,40}\p{L})[\p{L}\d]+(?:-[\p{L}\d]+)*`),
  ordinal: p(String.raw`\d+(?:st|nd|rd|th)`),
  phone:
    /(?<![\p{L}\p{N}_])(?:\+\d{1,3}[\s.\-]?)?(?:\(\d{1,4}\)[\s.\-]?)?\d{2,4}(?:[\s.\-]\d{2,4}){1,4}(?:\s?(?:x|ext\.?)\s?\d{1,5})?(?![\p{L}\p{N}_])/giu,
  iban: p(String.raw`[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?`),
  card: p(String.raw`\d{4}(?:[\s\-]?\d{4}){2}[\s\-]?\d{3,4}`),
  path: /(?<![\p{L}\p{N}_/:.])(?:~|\.{1,2}|[a-z]:)?(?:[/\\][\p{L}\p{N}_.\-]+){2,}[/\\]?/giu,
  hex: p(String.raw`(?:0x|#)?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}`),
  range: p(String.raw`\d+\s?(?:-|–|to)\s?\d+`),
  measure: p(
    String.raw`\d[\d.,]{0,24}\s?(?:kg|g|mg|lbs?|oz|km|cm|mm|m|ft|in|inch(?:es)?|miles?|mi|mph|km\/h|gb|mb|tb|l|ml|hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|weeks?|months?|years?)`,
  ),
});

/**
 * Calls `found` for every match: class, first token, number of tokens. A match counts when it starts where a token starts;
 * its last token is the last that begins inside it.
 */
export function matchPatterns(
  tokens: readonly Token[],
  found: (patternIndex: number, first: number, length: number) => void,
): void {
  if (tokens.length === 0) return;
  const from = tokens[0]!.start;
  const slice = textOf(tokens);
  // Nearly all classes need one of these; most sentences have none, and the check is far cheaper than the expressions.
  if (!/[\d@/\\]|www\.|\.(?:com|org|net|io|dev|co|edu|gov|ly|uk|de)/i.test(slice)) return;
  for (let k = 0; k < PATTERNS.length; k++) {
    const expression = PATTERNS[k]!;
    let token = 0;
    // Not by `matchAll`, which copies each expression. None of them matches an empty string.
    expression.lastIndex = 0;
    for (let match = expression.exec(slice); match !== null; match = expression.exec(slice)) {
      const start = from + match.index;
      const end = start + match[0].length;
      while (token < tokens.length && tokens[token]!.start < start) token++;
      const first = token;
      if (first >= tokens.length || tokens[first]!.start !== start) continue;
      while (token < tokens.length && tokens[token]!.start < end) token++;
      found(k, first, token - first);
    }
  }
}

/** The tokens with spaces between them, at the distances they have in the text; very long ones (data, not words) blanked out. */
function textOf(tokens: readonly Token[]): string {
  let text = '';
  const from = tokens[0]!.start;
  for (const token of tokens) {
    text = text.padEnd(token.start - from, ' ') + (token.text.length <= MAX_TOKEN_LENGTH ? token.text : ' ');
  }
  return text;
}
