import { Alike } from '../alike.js';
import { HostedModelError, type GenerationEvent } from '../port.js';
import { isProduced } from '../produced.js';
import type { Provider } from '../providers.js';
import { eventStreamReader } from '../server-sent-events.js';
import { senseless } from '../upstream-errors.js';
import { Answer } from './answer.js';
import { failureIn } from './failure.js';

/** Turns a provider's output into events. */
export class Reading {
  isDone = false;
  /** The failure that followed the events of the last chunk, and ended the answer. */
  failure: HostedModelError | null = null;
  private readonly answer: Answer;
  private readonly alike: Alike;
  private readonly read = eventStreamReader();

  constructor(
    private readonly provider: Provider,
    isText: boolean,
  ) {
    this.answer = new Answer(isText);
    this.alike = new Alike(isText ? '"text":' : '"content":');
  }

  /** The events of one answer that came whole. @throws HostedModelError */
  whole(text: string): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    this.value(text, events);
    events.push(...this.end());
    return events;
  }

  /** The events of a stream's chunk, cut anywhere. @throws HostedModelError if it failed before anything was produced */
  chunk(bytes: Uint8Array): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    try {
      for (const data of this.read(bytes)) {
        this.event(data, events);
        if (this.isDone) break;
      }
    } catch (error) {
      if (!(error instanceof HostedModelError) || !events.some(isProduced)) throw error;
      this.failure = error;
    }
    return events;
  }

  /** The ends of all choices. @throws HostedModelError it broke off */
  end(): readonly GenerationEvent[] {
    this.isDone = true;
    const ends = this.understood(() => this.answer.end());
    if (ends === null) throw senseless(this.provider, 'broke off in the middle of its answer; try again');
    return ends;
  }

  private event(data: string, events: GenerationEvent[]): void {
    if (data.startsWith('[DONE]')) return void events.push(...this.end());
    const alike = this.alike.read(data);
    if (alike !== null) return void events.push(alike);
    const said: GenerationEvent[] = [];
    this.value(data, said);
    this.alike.learn(data, said);
    // A spread into `push` would overflow the stack with very many events.
    for (const event of said) events.push(event);
  }

  private value(text: string, events: GenerationEvent[]): void {
    const value = this.parsed(text);
    this.understood(() => {
      const failure = failureIn(value, this.provider);
      if (failure) throw failure;
      this.answer.read(value, events);
    });
  }

  private parsed(text: string): unknown {
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch {
      // The text is the model's, or nobody's: it is not repeated.
      throw senseless(this.provider, 'answered with something that is not JSON');
    }
  }

  private understood<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      if (error instanceof HostedModelError) throw error;
      throw senseless(this.provider, 'answered with something that is no completion', error);
    }
  }
}
