/** A stretch of the text the tagger treats as one unit. */
export interface Token {
  readonly text: string;
  /** UTF-16 offsets into the text it was cut from, end exclusive. */
  readonly start: number;
  readonly end: number;
}

const word = String.raw`[\p{L}\p{M}\p{N}_]`;
const spaceless = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]`;
const many = '{1,100000}';
const any = '{0,100000}';
const groups = '{0,1000}';
const titles =
  'Mr|Mrs|Ms|Dr|Prof|Rev|Hon|Sen|Rep|Gov|Gen|Col|Maj|Capt|Cpt|Lt|Sgt|Cpl|Adm|Pres|Jr|Sr|St|Mt|Ft|Ave|Blvd|Rd';
const companies = 'Inc|Corp|Ltd|Co|Bros|Cos|Assn|Dept|Univ|No|vs';

/**
 * Tried in this order at each position; the first that matches makes the token. Repetitions that can fail late are bounded, so
 * that no text takes more than linear time. The others have bounds that no word reaches: a regular expression remembers where
 * each repetition began, and the stack for it overflows at some millions.
 */
const alternatives = [
  String.raw`(?:https?:\/\/|www\.)[^\s<>"']${any}[^\s<>"'.,;:!?)\]}]`,
  String.raw`[\p{L}\p{N}._%+\-]{1,64}@[\p{L}\p{N}\-]{1,63}(?:\.[\p{L}\p{N}\-]{1,63}){1,1000}`,
  String.raw`[@#]${word}${many}`,
  String.raw`\p{Sc}`,
  String.raw`\p{Nd}${many}(?:[.,:/\-]\p{Nd}${many})${groups}(?!${word})`,
  String.raw`(?<!${word})(?:\p{L}\.){2,1000}`,
  String.raw`(?<!${word})\p{Lu}\.(?=\s{0,9}\p{Lu})`,
  String.raw`(?<!${word})(?:${titles}|${companies})\.(?!${word})`,
  spaceless,
  String.raw`(?:[OD]['’](?=\p{Lu}))?(?:(?!${spaceless})${word})${many}(?:[-&/.](?:(?!${spaceless})${word})${many})${groups}`,
  String.raw`['’](?:s|S|re|ve|ll|d|m|t)(?!${word})`,
  String.raw`\S`,
];

const pattern = new RegExp(alternatives.join('|'), 'gu');

/**
 * Cuts a text into tokens. Every non-space character is in exactly one token, tokens are in order and do not overlap, and
 * `text.slice(token.start, token.end) === token.text`.
 */
export function tokenize(text: string): Token[] {
  return [...tokensOf(text)];
}

/**
 * The tokens of `tokenize`, computed lazily. `matchAll` would recreate the expression for each text, which takes as
 * long as a short text does. Other texts may be read in between.
 */
export function* tokensOf(text: string): Generator<Token, void, undefined> {
  for (let end = 0; ;) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match === null) return;
    end = pattern.lastIndex;
    yield { text: match[0], start: match.index, end };
  }
}
