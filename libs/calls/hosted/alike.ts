import type { GenerationEvent } from './port.js';

type Text = Extract<GenerationEvent, { type: 'text' }>;

/** Text that needs no escape in JSON. */
const PLAIN = /^[^"\\\u0000-\u001f]+$/;

/**
 * Reads chunks of a stream most of which differ from the previous one in a single word: compares the text around the
 * word and reads only the word, in a fifth of the time of parsing.
 */
export class Alike {
  private head = '';
  private tail = '';
  private event: Text | null = null;

  /** @param key of the text in a chunk, as JSON has it: `"content":` */
  constructor(private readonly key: string) {}

  /** The event of a chunk like the last; null if it must be parsed. */
  read(data: string): GenerationEvent | null {
    if (this.event === null) return null;
    const { head, tail } = this;
    const end = data.length - tail.length;
    // Whole strings are compared several times faster than by `startsWith`.
    if (end <= head.length || data.slice(0, head.length) !== head || data.slice(end) !== tail) return null;
    const text = data.slice(head.length, end);
    return PLAIN.test(text) ? { ...this.event, text } : null;
  }

  /** @param events the events of the chunk */
  learn(data: string, events: readonly GenerationEvent[]): void {
    const { key } = this;
    const [event] = events;
    this.event = null;
    if (events.length !== 1 || event!.type !== 'text' || event!.logprobs !== undefined) return;
    const word = `"${event!.text}"`;
    const at = data.indexOf(key);
    // A second possible place of the value makes the event ambiguous.
    if (at < 0 || data.indexOf(key, at + 1) >= 0 || !data.startsWith(word, at + key.length)) return;
    if (!PLAIN.test(event!.text)) return;
    this.event = event!;
    this.head = data.slice(0, at + key.length + 1);
    this.tail = data.slice(at + key.length + word.length - 1);
  }
}
