import { isRecord } from '#primitives/values.js';
import { AnswerReading } from '../answer-reading.js';
import type { Dropped } from '../dropped.js';
import { type GenerationEvent, HostedModelError } from '../port.js';
import type { Provider } from '../providers.js';
import type { ResponseIdentity } from '../response-identity.js';
import { senseless, refusalOf } from '../upstream-errors.js';
import { markedContainer } from './container.js';
import { AnswerReader } from './events.js';

type Fields = Readonly<Record<string, unknown>>;

/** Reads messages, whole or streamed. */
export class MessageReading extends AnswerReading {
  private readonly answer: AnswerReader;

  constructor(provider: Provider, dropped: Dropped, identity: ResponseIdentity) {
    super(provider, dropped, '"text":', 'message');
    this.answer = new AnswerReader(
      (details) => markedContainer(details, provider),
      identity,
      (name) => dropped.leftOut(name),
    );
  }

  get isEnded(): boolean {
    return this.answer.isEnded;
  }

  whole(text: string): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    const message = this.value(text);
    this.understood(() => this.answer.readWhole(message, events));
    return events;
  }

  end(): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    this.answer.end(events);
    if (!this.isEnded) throw senseless(this.provider, 'broke off in the middle of its answer; try again');
    return events;
  }

  /** @throws HostedModelError it is no JSON object, or an error */
  value(text: string): Fields {
    return this.unfailed(this.parsed(text));
  }

  protected read(event: Fields, events: GenerationEvent[]): void {
    const value = this.unfailed(event);
    this.understood(() => this.answer.read(value, events));
  }

  private unfailed(value: Fields): Fields {
    // Gateways have OpenAI's errors, which have no type.
    if (value['type'] === 'error' || (value['type'] === undefined && isRecord(value['error'])))
      throw failureOf(this.provider, value['error']);
    return value;
  }
}

/** Status of each error type (https://platform.claude.com/docs/en/api/errors), which streams lack. */
const STATUSES = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The caller's error for a provider's error in place of an answer, or in the middle of one. */
function failureOf(provider: Provider, error: unknown): HostedModelError {
  const { type } = (error ?? {}) as { readonly type?: unknown };
  const status = STATUSES.get(type) ?? 500;
  return refusalOf(provider, { status, headers: {} }, JSON.stringify({ error }));
}
