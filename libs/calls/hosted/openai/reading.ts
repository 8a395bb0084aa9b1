import { AnswerReading } from '../answer-reading.js';
import type { Dropped } from '../dropped.js';
import type { GenerationEvent } from '../port.js';
import type { Provider } from '../providers.js';
import { senseless } from '../upstream-errors.js';
import { Answer } from './answer.js';
import { failureIn } from './failure.js';

type Fields = Readonly<Record<string, unknown>>;

/** Reads chat and text completions, whole or streamed. */
export class CompletionReading extends AnswerReading {
  isEnded = false;
  private readonly answer: Answer;

  constructor(provider: Provider, dropped: Dropped, isText: boolean) {
    super(provider, dropped, isText ? '"text":' : '"content":', 'completion');
    this.answer = new Answer(isText);
  }

  whole(text: string): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    const value = this.parsed(text);
    this.read(value, events);
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
    return ends;
  }

  protected override event(data: string, events: GenerationEvent[]): void {
    if (data.startsWith('[DONE]')) events.push(...this.end(true));
    else super.event(data, events);
  }

  protected read(value: Fields, events: GenerationEvent[]): void {
    this.understood(() => {
      const failure = failureIn(value, this.provider);
      if (failure) throw failure;
      this.answer.read(value, events);
    });
  }
}
