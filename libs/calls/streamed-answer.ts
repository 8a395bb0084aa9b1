import type { AnsweringProvider, SignedThoughts } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import {
  HostedModelError,
  NO_USAGE,
  type GenerateOptions,
  type GenerationEvent,
  type TokenUsage,
} from './hosted/port.js';
import type { Production } from './production.js';
import type { AnswerStream } from './answer-stream.js';
import type { Failure, LiveCall, Outcome } from './lifecycle.js';
import { textOf, type Produced } from './produced.js';
import { signedThoughtsOf } from './signed-thoughts.js';

type Batch = readonly GenerationEvent[];

/** A reader who has delayed a call by this much in total shares the blame for its timeout. */
const SLOW_READER_MS = 10_000;

/** Calls the backend. */
type Ask = (options: Required<Pick<GenerateOptions, 'signal' | 'onProvider' | 'onDropped'>>) => AsyncIterable<Batch>;

/** The streamed answer of a call: read from its backend, and recorded at its end. */
export class StreamedAnswer implements AnswerStream {
  latencyMs = 0;
  dropped: readonly string[] = [];
  readonly events: AsyncIterable<Batch> = { [Symbol.asyncIterator]: () => this.drawing };
  private readonly drawing: AsyncIterator<Batch> = {
    next: () => this.draw(),
    return: async () => {
      await this.leave();
      return DONE;
    },
  };
  private readonly cancelling = new AbortController();
  private readonly cancel = () => this.cancelling.abort();
  private upstream: AsyncIterator<Batch> | null = null;
  private provider: AnsweringProvider | null = null;
  /** Batches received from the backend, but not yet delivered to the reader. */
  private first: Batch | null = null;
  private readonly finishes: GenerationEvent[] = [];
  /** When a batch was handed to the reader, and the reader's time for all batches. */
  private givenAt: number | null = null;
  private readerMs = 0;
  /** Set once, when the call ends: it is recorded once. */
  private end: Promise<void> | null = null;

  constructor(
    private readonly live: LiveCall,
    private readonly production: Production,
    private readonly options: {
      readonly signal?: AbortSignal | undefined;
      readonly output?: (produced: Produced) => Json;
      /** Whether content is kept. */
      readonly store: boolean;
    },
    /** Called with the signed thoughts of an answer once they are on the log. */
    private readonly remember: (thoughts: SignedThoughts) => void,
  ) {}

  get inferenceId(): string {
    return this.live.inferenceId;
  }

  get produced(): Produced {
    return this.production.produced;
  }

  get usage(): TokenUsage {
    return this.production.counted;
  }

  /**
   * Asks the provider while the call is being opened on the log. A call that cannot be opened is cancelled.
   * @throws DomainError
   */
  async begin(ask: Ask): Promise<void> {
    const { signal } = this.options;
    if (signal?.aborted) this.cancel();
    // AbortSignal.any would cost ten times as much.
    else signal?.addEventListener('abort', this.cancel, { once: true });
    let unopened: Error | null = null;
    const acknowledged = this.live.acknowledged.catch((error: Error) => {
      unopened = error;
      this.cancel();
    });
    try {
      const onProvider = (provider: AnsweringProvider) => (this.provider = provider);
      const onDropped = (names: readonly string[]) => (this.dropped = names);
      this.upstream = ask({ signal: this.cancelling.signal, onProvider, onDropped })[Symbol.asyncIterator]();
      this.first = await this.come();
      await acknowledged;
    } catch (error) {
      await acknowledged;
      throw await this.fail(unopened ?? error);
    }
    if (unopened !== null) throw await this.fail(unopened);
  }

  async leave(error: unknown = GONE()): Promise<void> {
    // If the log rejects it, a worker closes the call; no caller is left to inform.
    if (this.end === null) await this.fail(error).catch(() => undefined);
    else await this.end.catch(() => undefined);
  }

  /** The next non-empty batch. The finish events come in a batch of their own, once the end is on the log. @throws DomainError */
  private async draw(): Promise<IteratorResult<Batch>> {
    if (this.end !== null) return DONE;
    if (this.givenAt !== null) this.readerMs += performance.now() - this.givenAt;
    let output: Json;
    try {
      for (let value = this.first ?? (await this.come()); value !== null; value = await this.come()) {
        this.first = null;
        if (value.length === 0) continue;
        this.givenAt = performance.now();
        return { done: false, value };
      }
      // The reader left in the meantime.
      if (this.end !== null) return DONE;
      this.production.isComplete = true;
      output = this.output;
    } catch (error) {
      throw await this.fail(error);
    }
    await this.ended(null, this.usage, output);
    return { done: false, value: this.finishes };
  }

  /** null: the end. */
  private async come(): Promise<Batch | null> {
    const next = await this.upstream!.next();
    if (next.done) return null;
    const batch = next.value;
    for (const event of batch) this.production.add(event);
    if (!batch.some(isFinish)) return batch;
    this.finishes.push(...batch.filter(isFinish));
    return batch.filter((event) => !isFinish(event));
  }

  /**
   * A caller who leaves, or who reads too slowly to finish in time, is billed for the output so far; a call that the
   * provider refused or broke off is free.
   */
  private async fail(error: unknown): Promise<unknown> {
    const failure = this.live.failureOf(error);
    const { errorType } = failure;
    const hasProduced = this.production.ttftMs !== null;
    // The content received so far is kept, unless it cannot be assembled.
    const output = hasProduced ? attempt(() => this.output) : null;
    const isReaders = errorType === 'cancelled' || (errorType === 'timeout' && this.readerMs > SLOW_READER_MS);
    const usage = isReaders && hasProduced ? this.usage : NO_USAGE;
    // Stopped before recording: a refused answer must not be produced any further.
    void this.stop();
    await this.ended(failure, usage, output);
    return failure.answer;
  }

  /** @param failure null: it was answered */
  private ended(failure: Failure | null, usage: TokenUsage, output: Json): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.cancel);
    const { provider, dropped } = this;
    const { ttftMs, servedBy } = this.production;
    this.end ??= this.record(failure, { usage, output, ttftMs, provider, dropped, servedBy });
    return this.end;
  }

  private async record(failure: Failure | null, outcome: Outcome): Promise<void> {
    if (failure) return void (await this.live.failed(failure, outcome));
    const { hasSignature, produced } = this.production;
    const thoughts = this.options.store && hasSignature ? signedThoughtsOf(produced, this.provider) : null;
    this.latencyMs = await this.live.answered(thoughts ? { ...outcome, thoughts } : outcome);
    if (thoughts) this.remember(thoughts);
  }

  /** Cancels it upstream, unless it has ended. */
  private async stop(): Promise<void> {
    this.cancel();
    try {
      await this.upstream?.return?.();
    } catch {
      // A generator that fails to end is the provider's fault.
    }
  }

  private get output(): Json {
    return this.options.output ? this.options.output(this.produced) : textOf(this.produced.choices[0]!);
  }
}

const DONE = { done: true, value: undefined } as const;
const GONE = () => new HostedModelError('cancelled', 'the caller has gone');
const isFinish = ({ type }: GenerationEvent): boolean => type === 'finish';

function attempt(make: () => Json): Json {
  try {
    return make();
  } catch {
    return null;
  }
}
