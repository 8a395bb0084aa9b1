/** Detects the end of a JSON object that arrives in pieces. Reads each character once, on demand. */
export class JsonEnd {
  private text = '';
  private scanned = 0;
  private depth = 0;
  private hasBegun = false;
  private isInString = false;
  private isEscaped = false;

  add(piece: string): void {
    this.text += piece;
  }

  /** Whether only white space may follow. False before the start. */
  get isReached(): boolean {
    for (; this.scanned < this.text.length; this.scanned += 1) this.scan(this.text[this.scanned]!);
    return this.depth === 0 && this.hasBegun;
  }

  private scan(character: string): void {
    if (this.isInString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.isInString = false;
    } else if (character === '"') this.isInString = true;
    else if (character === '{' || character === '[') {
      this.depth += 1;
      this.hasBegun = true;
    } else if (character === '}' || character === ']') this.depth -= 1;
  }
}
