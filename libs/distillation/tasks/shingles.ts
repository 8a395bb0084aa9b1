/** Tokens of a shingle. */
const LENGTH = 4;
const [START, END] = ['\u0002', '\u0003'];
const TOKEN = /[\p{L}\p{M}]+|\p{N}+|\n|[^\S\n]+|[^\p{L}\p{M}\p{N}\s]/gu;
/** A whole part counts like so many characters. */
const WHOLE = 24;
/** What stands beside a text that is put into a prompt. */
const DELIMITER = /[\n"'`:\uff1a<>#|=\p{Ps}\p{Pe}\p{Pi}\p{Pf}]/u;

/** Part and tokens of a shingle; `\u0002` and `\u0003` are the ends of a part. */
export interface Shingle {
  readonly tokens: readonly string[];
  /** Characters of its first token: the sum over a run of shingles is its length. */
  readonly length: number;
  readonly hasDelimiter: boolean;
}

/** A request as numbers of shingles. */
export interface ShingledText {
  /** For each part its tokens, with the marks of both ends. */
  readonly parts: readonly (readonly string[])[];
  /** For each part the number of the shingle that begins at each token. */
  readonly shingles: readonly Int32Array[];
  readonly distinct: readonly number[];
}

/** Numbers the shingles of requests; the same words in two parts are two shingles. */
export class ShingleTable {
  readonly all: Shingle[] = [];
  private readonly numbers = new Map<string, number>();

  read(texts: readonly string[]): ShingledText {
    const parts = texts.map((text) => [START, ...(text.match(TOKEN) ?? []), END]);
    const shingles = parts.map((tokens, part) =>
      Int32Array.from({ length: Math.max(1, tokens.length - LENGTH + 1) }, (_, at) =>
        this.numberOf(part, tokens.slice(at, at + LENGTH)),
      ),
    );
    // All of an earlier part: a short system prompt is too short for the shingles to tell it from others.
    const whole = texts.slice(0, -1).map((text, part) => this.wholeOf(part, text));
    return { parts, shingles, distinct: [...new Set([...shingles.flatMap((numbers) => [...numbers]), ...whole])] };
  }

  private wholeOf(part: number, text: string): number {
    const key = `${part}\u0000${START}${END}${text}`;
    const number =
      this.numbers.get(key) ?? this.all.push({ tokens: [START, text, END], length: WHOLE, hasDelimiter: true }) - 1;
    this.numbers.set(key, number);
    return number;
  }

  private numberOf(part: number, tokens: readonly string[]): number {
    const key = `${part}\u0000${tokens.join('\u0000')}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.all.length;
      this.numbers.set(key, number);
      const length = tokens[0] === START ? 0 : tokens[0]!.length;
      this.all.push({ tokens, length, hasDelimiter: tokens.some((token) => DELIMITER.test(token)) });
    }
    return number;
  }
}

/** In how many requests each shingle is. */
export function frequencies(texts: readonly ShingledText[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { distinct } of texts) for (const number of distinct) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}

/** Whether each token of a part is in a constant shingle. The marks of the ends count. */
export function covered(
  { parts, shingles }: ShingledText,
  part: number,
  isConstant: (number: number) => boolean,
): boolean[] {
  const marks = new Array<boolean>(parts[part]!.length).fill(false);
  shingles[part]!.forEach((number, at) => {
    if (isConstant(number)) marks.fill(true, at, at + LENGTH);
  });
  return marks;
}

/** The longest beginning of a text that ends with a delimiter and the blanks after it; empty if there is none. */
export function upToDelimiter(text: string): string {
  let end = text.length;
  while (end > 0 && /[^\S\n]/.test(text[end - 1]!)) end -= 1;
  if (end > 0 && DELIMITER.test(text[end - 1]!)) return text;
  while (end > 0 && !DELIMITER.test(text[end - 1]!)) end -= 1;
  while (end > 0 && end < text.length && /[^\S\n]/.test(text[end]!)) end += 1;
  return text.slice(0, end);
}

/** The longest end of a text that begins with a delimiter and the blanks before it; empty if there is none. */
export function fromDelimiter(text: string): string {
  let start = 0;
  while (start < text.length && /[^\S\n]/.test(text[start]!)) start += 1;
  if (start < text.length && DELIMITER.test(text[start]!)) return text;
  while (start < text.length && !DELIMITER.test(text[start]!)) start += 1;
  while (start > 0 && start < text.length && /[^\S\n]/.test(text[start - 1]!)) start -= 1;
  return text.slice(start);
}

export const isDelimited = (text: string): boolean => DELIMITER.test(text);
