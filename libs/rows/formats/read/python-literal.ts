import type { Json } from '#domain/json.js';

/**
 * A list or dict as printed by Python, which pandas writes into cells: `['a', "b's"]`, `[(0, 3, 'person')]`, `{'a':
 * None}`. NumPy arrays, which have no commas, are read too, unless they were shortened.
 * @returns undefined when it is neither, or nests deeper
 */
export function pythonLiteral(text: string, nesting: number): Json | undefined {
  const reader = new Reader(text);
  try {
    const value = reader.value(nesting);
    return reader.isAtEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof NoLiteralError) return undefined;
    throw error;
  }
}

class NoLiteralError extends Error {}

const CONSTANTS = new Map<string, Json>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['nan', null],
]);
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  isAtEnd(): boolean {
    this.skipBlanks();
    return this.at === this.text.length;
  }

  value(nesting: number): Json {
    this.skipBlanks();
    const char = this.text[this.at];
    if (char === "'" || char === '"') return this.string(char);
    if (char === '{') return this.dict(nesting);
    return char === '[' || char === '(' ? this.list(char, nesting) : this.word();
  }

  private list(opening: string, nesting: number): Json[] {
    const values: Json[] = [];
    this.each(opening, nesting, () => values.push(this.value(nesting - 1)));
    return values;
  }

  private dict(nesting: number): Json {
    const entries: [string, Json][] = [];
    this.each('{', nesting, () => {
      const key = this.value(0);
      this.skipBlanks();
      if (typeof key !== 'string' || this.text[this.at] !== ':') throw new NoLiteralError();
      this.at += 1;
      entries.push([key, this.value(nesting - 1)]);
    });
    return Object.fromEntries(entries);
  }

  private each(opening: string, nesting: number, read: () => void): void {
    if (nesting <= 0) throw new NoLiteralError();
    this.at += 1;
    for (;;) {
      this.skipBlanks();
      if (this.text[this.at] === CLOSING[opening]) break;
      read();
      this.skipBlanks();
      if (this.text[this.at] === ',') this.at += 1;
    }
    this.at += 1;
  }

  private string(quote: string): string {
    let text = '';
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at]!;
      if (char === quote) {
        this.at += 1;
        return text;
      }
      text += char === '\\' ? this.escaped() : char;
    }
    throw new NoLiteralError();
  }

  /** The character of an escape, up to the escape's last character. */
  private escaped(): string {
    const [, ofByte, ofUnit] = /^\\(?:x([\da-f]{2})|u([\da-f]{4}))/i.exec(this.text.slice(this.at, this.at + 6)) ?? [];
    const code = ofByte ?? ofUnit;
    if (code !== undefined) {
      this.at += code.length + 1;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    this.at += 1;
    const char = ESCAPES[this.text[this.at] ?? ''];
    if (char === undefined) throw new NoLiteralError();
    return char;
  }

  private word(): Json {
    const [word = ''] = /^[-+.\w]+/.exec(this.text.slice(this.at, this.at + 40)) ?? [];
    this.at += word.length;
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return constant;
    if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(word)) throw new NoLiteralError();
    return Number(word);
  }

  private skipBlanks(): void {
    while (this.at < this.text.length && ' \t\r\n'.includes(this.text[this.at]!)) this.at += 1;
  }
}
