import type { LlamaModel, Token } from './runtime.js';

/** Maximum number of tokens for the pieces of one character. */
const MAX_PIECES = 8;
const REPLACEMENT = '�';
/** Tokens before a text that decide how it begins. */
const LAST_TOKENS = 8;

/** Turns tokens into text, in whole characters. Special tokens give none, but for those that are marks. */
export class TokenText {
  private before: readonly Token[];
  private pending: readonly Token[] = [];
  private readonly marks: ReadonlyMap<Token, string>;

  /** @param marks texts of tokens that are shown though they are special */
  constructor(
    private readonly model: LlamaModel,
    prompt: readonly Token[],
    marks: readonly string[],
  ) {
    this.before = prompt.slice(-LAST_TOKENS);
    this.marks = new Map(
      marks.flatMap((mark) => {
        const [token, ...others] = model.tokenize(mark, true);
        return token === undefined || others.length > 0 ? [] : [[token, mark] as const];
      }),
    );
  }

  add(token: Token): string {
    const mark = this.marks.get(token);
    if (mark !== undefined) return `${this.end()}${mark}`;
    this.pending = [...this.pending, token];
    const text = this.shown();
    return text.endsWith(REPLACEMENT) && this.pending.length < MAX_PIECES ? '' : this.end();
  }

  /** Returns what was held back. */
  end(): string {
    const text = this.shown();
    this.before = [...this.before, ...this.pending].slice(-LAST_TOKENS);
    this.pending = [];
    return text;
  }

  /** The text of the pending tokens, which depends on the tokens before them. */
  private shown(): string {
    return this.pending.length === 0 ? '' : this.model.detokenize(this.pending, false, this.before);
  }
}
