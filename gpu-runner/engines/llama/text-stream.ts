/** The piece of text that may go out, and the stop sequence that ended it. */
interface Piece {
  readonly text: string;
  readonly stopped: string | null;
  /** The text after that stop sequence. */
  readonly rest: string;
}

/** Text as it is generated, without the stop sequence that ends it: an end that may become one is held back. */
export class TextStream {
  private held = '';

  constructor(private readonly stops: readonly string[]) {}

  add(text: string): Piece {
    this.held += text;
    const stopped = this.firstStop();
    if (stopped !== null) {
      const at = this.held.indexOf(stopped);
      const [before, rest] = [this.held.slice(0, at), this.held.slice(at + stopped.length)];
      this.held = '';
      return { text: before, stopped, rest };
    }
    const kept = this.possibleStop();
    const piece = this.held.slice(0, this.held.length - kept);
    this.held = this.held.slice(this.held.length - kept);
    return { text: piece, stopped: null, rest: '' };
  }

  /** Returns the text that was held back, at the end of the stream; none after a stop sequence. */
  end(): string {
    return this.held;
  }

  /** The stop sequence that occurs first, of those there the longest. */
  private firstStop(): string | null {
    const found = this.stops.filter((stop) => this.held.includes(stop));
    const at = (stop: string) => this.held.indexOf(stop);
    return found.toSorted((a, b) => at(a) - at(b) || b.length - a.length)[0] ?? null;
  }

  /** Characters at the end that are the beginning of a stop sequence. */
  private possibleStop(): number {
    const longest = Math.max(0, ...this.stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, this.held.length); length > 0; length -= 1)
      if (this.stops.some((stop) => stop.startsWith(this.held.slice(-length)))) return length;
    return 0;
  }
}
