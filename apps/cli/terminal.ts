import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Terminal } from './review-session.js';

/**
 * Asks on a terminal, or reads the answers from a pipe: lines that came before their question are kept. Once the input has ended, as by
 * Ctrl+D, every answer is null.
 */
export function terminalOn(
  input: Readable,
  output: Writable,
): { readonly terminal: Terminal; readonly close: () => void } {
  const lines = createInterface({ input, output });
  const answers = lines[Symbol.asyncIterator]();
  let isClosed = false;
  lines.once('close', () => (isClosed = true));
  return {
    terminal: {
      show: (text) => void output.write(`${text}\n`),
      async ask(prompt) {
        lines.setPrompt(prompt);
        if (!isClosed) lines.prompt();
        const answer = await answers.next();
        return answer.done ? null : answer.value;
      },
    },
    close: () => lines.close(),
  };
}
