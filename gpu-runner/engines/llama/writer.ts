import type { TokenLogprob } from '../decoder-engine.js';
import type { DoneMessage } from '../torch/messages.js';
import type { CallReader } from './tool-calls.js';
import { TextStream } from './text-stream.js';

/** Sends a part of an answer. Resolves once generation may continue. */
export type Say = (text: string, logprobs?: readonly TokenLogprob[]) => Promise<void>;

/** Sends the text of an answer as it becomes certain, with the log probabilities of its tokens. */
export class Writer {
  private readonly stops: TextStream;
  /** Unsent log probabilities, each with the place where its text begins. */
  private entries: readonly { readonly at: number; readonly entry: TokenLogprob }[] = [];
  private made = 0;
  private sent = 0;

  constructor(
    stops: readonly string[],
    private readonly reader: CallReader | null,
    private readonly say: Say,
  ) {
    this.stops = new TextStream(stops);
  }

  /** Takes the log probability of a token, whose text is added next. */
  note(entry: TokenLogprob): void {
    this.entries = [...this.entries, { at: this.made, entry }];
  }

  /** Returns the stop sequence that ended the answer. */
  async add(piece: string): Promise<string | null> {
    this.made += piece.length;
    const { text, stopped } = this.stops.add(piece);
    await this.send(this.reader?.add(text) ?? text);
    return stopped;
  }

  /** Sends the rest. Returns the calls of tools. */
  async end(): Promise<DoneMessage['toolCalls']> {
    const held = this.stops.end();
    await this.send(this.reader?.add(held) ?? held);
    const { text, calls } = this.reader?.end() ?? { text: '', calls: [] };
    await this.send(text);
    return calls;
  }

  private async send(text: string): Promise<void> {
    this.sent += text.length;
    const ready = this.entries.filter(({ at }) => at < this.sent).map(({ entry }) => entry);
    this.entries = this.entries.slice(ready.length);
    if (ready.length > 0) await this.say(text, ready);
    else if (text !== '') await this.say(text);
  }
}
