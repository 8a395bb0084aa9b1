import { AnswerReading } from '../answer-reading.js';
import type { GenerationEvent } from '../port.js';
import type { Provider } from '../providers.js';
import { senseless } from '../upstream-errors.js';
import { Answer } from './answer.js';
import { failureIn } from './failure.js';

/** Reads chat and text completions, whole or streamed. */
export class CompletionReading extends AnswerReading {
  isEnded = false;
  private readonly answer: Answer;

  constructor(provider: Provider, isText: boolean) {
    super(provider, isText ? '"text":' : '"content":', 'completion');
    this.answer = new Answer(isText);
  }

  whole(text: string): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    this.read(text, events);
    events.push(...this.end());
    return events;
  }

  end(): readonly GenerationEvent[] {
    this.isEnded = true;
    const ends = this.understood(() => this.answer.end());
    if (ends === null) throw senseless(this.provider, 'broke off in the middle of its answer; try again');
    return ends;
  }

  protected override event(data: string, events: GenerationEvent[]): void {
    if (data.startsWith('[DONE]')) events.push(...this.end());
    else super.event(data, events);
  }

  protected read(text: string, events: GenerationEvent[]): void {
    const value = this.parsed(text);
    this.understood(() => {
      const failure = failureIn(value, this.provider);
      if (failure) throw failure;
      this.answer.read(value, events);
    });
  }
}
