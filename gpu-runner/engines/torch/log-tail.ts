import type { Readable } from 'node:stream';
import { printable } from '#domain/printable.js';

const MAX_LINES = 40;
const MAX_LINE_CHARACTERS = 500;

/** The last lines that a process wrote, on all its outputs; a progress bar counts as one. */
export class LogTail {
  /** The oldest first. */
  readonly lines: string[] = [];

  read(output: Readable): void {
    let unfinished = '';
    output.setEncoding('utf8');
    output.on('data', (text: string) => {
      const parts = (unfinished + text).split(/\r?\n/);
      unfinished = (parts.pop() ?? '').slice(-MAX_LINE_CHARACTERS);
      parts.forEach((line) => this.add(line));
    });
    output.on('end', () => this.add(unfinished));
  }

  private add(line: string): void {
    const shown = line.slice(line.lastIndexOf('\r') + 1);
    const text = printable(shown).trimEnd().slice(0, MAX_LINE_CHARACTERS);
    if (text === '') return;
    this.lines.push(text);
    if (this.lines.length > MAX_LINES) this.lines.shift();
  }
}
