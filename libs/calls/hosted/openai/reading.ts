import { AnswerReading } from '../answer-reading.js';
import type { Dropped } from '../dropped.js';
import type { GenerationEvent } from '../port.js';
import type { Provider } from '../providers.js';
import type { ResponseIdentity } from '../response-identity.js';
import { senseless } from '../upstream-errors.js';
import { Answer } from './answer.js';
import { failureIn } from './failure.js';
import { AnswerSources } from './sources.js';

type Fields = Readonly<Record<string, unknown>>;

/** Reads chat and text completions, whole or streamed. */
export class CompletionReading extends AnswerReading {
  isEnded = false;
  private readonly answer: Answer;
  private readonly sources = new AnswerSources();

  /** @param prompts texts that are continued; 0: it is a chat */
  constructor(provider: Provider, dropped: Dropped, identity: ResponseIdentity, prompts = 0) {
    const isText = prompts > 0;
    super(provider, dropped, isText ? '"text":' : '"content":', 'completion');
    this.answer = new Answer(isText, prompts > 1, identity, (name) => dropped.leftOut(name));
  }

  whole(text: string): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    const value = this.parsed(text);
    this.read(value, events);
    this.hear(events, 0);
    if (!Array.isArray(value['choices']))
      throw senseless(this.provider, 'answered with something that is no completion');
    events.push(...this.end(true));
    return events;
  }

  /** @param isWhole whether the provider said that this is all */
  end(isWhole = false): readonly GenerationEvent[] {
    this.isEnded = true;
    const ends = this.understood(() => this.answer.end(isWhole));
    if (ends === null) throw senseless(this.provider, 'broke off in the middle of its answer; try again');
    return [...this.sources.events(), ...ends];
  }

  protected override event(data: string, events: GenerationEvent[]): void {
    if (data.startsWith('[DONE]')) events.push(...this.end(true));
    else {
      const before = events.length;
      super.event(data, events);
      this.hear(events, before);
    }
  }

  private hear(events: readonly GenerationEvent[], from: number): void {
    for (let index = from; index < events.length; index += 1) this.sources.hear(events[index]!);
  }

  protected read(value: Fields, events: GenerationEvent[]): void {
    this.understood(() => {
      const failure = failureIn(value, this.provider);
      if (failure) throw failure;
      this.answer.read(value, events);
      this.sources.read(value);
    });
  }
}
