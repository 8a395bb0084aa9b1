import type { Json } from '#domain/json.js';
import { HostedModelError, NO_USAGE, type GenerationEvent, type TokenUsage } from '#hosted-models/port.js';
import { failureOf } from './call-failure.js';
import type { DecoderCall } from './decoder-calls.js';
import type { Generation } from './generation.js';
import type { GenerationRun } from './generation-run.js';
import type { OpenedCall } from './opened-call.js';
import { textOf, type Produced } from './produced.js';

type Batch = readonly GenerationEvent[];

/** One call of a hosted model, from its first events to its end on the log. */
export class HostedRun implements GenerationRun {
  latencyMs = 0;
  readonly events: AsyncIterable<Batch>;
  private readonly leaving = new AbortController();
  private upstream: AsyncIterator<Batch> | null = null;
  private first!: IteratorResult<Batch>;

  constructor(
    private readonly opened: OpenedCall,
    private readonly generation: Generation,
    private readonly call: DecoderCall,
  ) {
    this.events = this.drawn();
  }

  get inferenceId(): string {
    return this.opened.inferenceId;
  }

  get produced(): Produced {
    return this.generation.produced;
  }

  get usage(): TokenUsage {
    return this.generation.counted;
  }

  /** Asks the provider beside the call's opening on the log. A call that cannot be opened is cancelled. @throws DomainError */
  async begin(ask: (signal: AbortSignal) => AsyncIterable<Batch>): Promise<void> {
    const { signal } = this.call;
    let unopened: Error | null = null;
    const acknowledged = this.opened.acknowledged.catch((error: Error) => {
      unopened = error;
      this.leaving.abort(error);
    });
    try {
      const either = signal ? AbortSignal.any([signal, this.leaving.signal]) : this.leaving.signal;
      this.upstream = ask(either)[Symbol.asyncIterator]();
      this.first = await this.upstream.next();
      await acknowledged;
      if (unopened !== null) throw unopened;
    } catch (error) {
      await acknowledged;
      await this.leave();
      throw await this.failed(unopened ?? error);
    }
  }

  private async *drawn(): AsyncGenerator<Batch> {
    let isEnded = false;
    try {
      const finishes: GenerationEvent[] = [];
      for (let next = this.first; !next.done; next = await this.upstream!.next()) {
        const batch = next.value;
        for (const event of batch) this.generation.add(event);
        const last = batch.findIndex(({ type }) => type === 'finish');
        if (last >= 0) finishes.push(...batch.slice(last));
        if (last !== 0) yield last < 0 ? batch : batch.slice(0, last);
      }
      isEnded = true;
      await this.answered();
      yield finishes;
    } catch (error) {
      if (isEnded) throw error;
      isEnded = true;
      throw await this.failed(error);
    } finally {
      if (!isEnded) await this.left();
    }
  }

  private async answered(): Promise<void> {
    const { ttftMs } = this.generation;
    const usage = this.generation.counted;
    this.latencyMs = await this.opened.end({ errorType: null, message: null, usage, output: this.output, ttftMs });
  }

  /** A caller who leaves is billed what was produced; what the provider refused or broke off costs nothing. */
  private async failed(error: unknown): Promise<Error> {
    const { errorType, answer } = failureOf(error);
    const { ttftMs } = this.generation;
    const isLeft = errorType === 'cancelled' && ttftMs !== null;
    await this.opened.end({
      ...{ errorType, message: answer.message, ttftMs },
      usage: isLeft ? this.generation.counted : NO_USAGE,
      output: ttftMs === null ? null : this.output,
    });
    return answer;
  }

  private async left(): Promise<void> {
    await this.leave();
    // There is nobody to tell it.
    await this.failed(new HostedModelError('cancelled', 'the caller has gone')).catch(() => undefined);
  }

  /** Cancels it upstream, where it is not at its end. */
  private async leave(): Promise<void> {
    this.leaving.abort();
    await Promise.resolve(this.upstream?.return?.()).catch(() => undefined);
  }

  private get output(): Json {
    return this.call.output ? this.call.output(this.produced) : textOf(this.produced.choices[0]!);
  }
}
