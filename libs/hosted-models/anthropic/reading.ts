import { Alike } from '../alike.js';
import { HostedModelError, type GenerationEvent } from '../port.js';
import { isProduced } from '../produced.js';
import type { Provider } from '../providers.js';
import { eventStreamReader } from '../server-sent-events.js';
import { senseless } from '../upstream-errors.js';
import { AnswerReader } from './events.js';
import { failureOf } from './failure.js';

type Fields = Readonly<Record<string, unknown>>;

/** Turns a provider's output into events. */
export class Reading {
  /** The failure that followed the events of the last chunk, and ended the answer. */
  failure: HostedModelError | null = null;
  private readonly answer = new AnswerReader();
  private readonly alike = new Alike('"text":');
  private readonly read = eventStreamReader();

  constructor(private readonly provider: Provider) {}

  get isEnded(): boolean {
    return this.answer.isEnded;
  }

  /** The events of a message that came whole. @throws HostedModelError */
  whole(text: string): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    const message = this.value(text);
    this.understood(() => this.answer.readWhole(message, events));
    if (!this.isEnded) throw senseless(this.provider, 'answered with a message that has no end');
    return events;
  }

  /** The events of a stream's chunk, cut anywhere. @throws HostedModelError if it failed before anything was produced */
  chunk(bytes: Uint8Array): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    try {
      for (const data of this.read(bytes)) {
        this.event(data, events);
        // Some providers end with the other style's `[DONE]`, which is no JSON.
        if (this.isEnded) break;
      }
    } catch (error) {
      if (!(error instanceof HostedModelError) || !events.some(isProduced)) throw error;
      this.failure = error;
    }
    return events;
  }

  /** The end of a stream. @throws HostedModelError it broke off */
  end(): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    this.answer.end(events);
    if (!this.isEnded) throw senseless(this.provider, 'broke off in the middle of its answer; try again');
    return events;
  }

  /** @throws HostedModelError it is no JSON object, or an error */
  value(text: string): Fields {
    const value = this.parsed(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw senseless(this.provider, 'answered with something that is no object');
    const fields = value as Fields;
    if (fields['type'] === 'error') throw failureOf(this.provider, fields['error']);
    return fields;
  }

  private event(data: string, events: GenerationEvent[]): void {
    const alike = this.alike.read(data);
    if (alike !== null) return void events.push(alike);
    const said: GenerationEvent[] = [];
    const value = this.value(data);
    this.understood(() => this.answer.read(value, said));
    this.alike.learn(data, said);
    events.push(...said);
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

  private understood(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw senseless(this.provider, 'answered with something that is no message', error);
    }
  }
}
