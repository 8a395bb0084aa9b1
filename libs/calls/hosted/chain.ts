import type { ProviderResponse } from '#domain/inference/index.js';
import { HostedModelError, type GenerateOptions, type GenerationEvent, type HostedModel } from './port.js';

type Batch = readonly GenerationEvent[];
type Candidate = Omit<HostedModel, 'fallbacks'>;
const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** An attempt to generate with one model of one provider. */
export interface ProviderAttempt {
  readonly events: AsyncIterator<Batch>;
  /**
   * Reads the first events, skipping failures after which a fallback may answer.
   * @throws HostedModelError
   */
  first(): Promise<IteratorResult<Batch, undefined>>;
  /** Hints that the provider was not sent; complete after the first events. */
  readonly dropped: readonly string[];
  /** What identifies the answer; complete at its end. */
  readonly identity: ProviderResponse;
}

/**
 * The answer of the first model that gives one: the requested one, then its fallbacks in their order. The next one is
 * tried if a model is unavailable, not if it rejects the request. If none answers, the caller gets the failure of the
 * requested model.
 * @throws HostedModelError
 */
export async function firstAnswer<T>(model: HostedModel, ask: (candidate: Candidate) => Promise<T>): Promise<T> {
  if (!model.fallbacks?.length) return ask(model);
  let failure: unknown = null;
  for (const candidate of [model, ...model.fallbacks])
    try {
      return await ask(candidate);
    } catch (error) {
      failure ??= error;
      if (isKind(error, 'cancelled')) throw error;
      if (!isKind(error, 'unavailable', 'saturated', 'timeout', 'crowded')) break;
    }
  throw failure;
}

const isKind = (error: unknown, ...kinds: readonly HostedModelError['kind'][]): boolean =>
  error instanceof HostedModelError && kinds.includes(error.kind);

/** The same of an answer that is drawn event by event: no other is asked once there were events. */
export class ChainedGeneration implements AsyncIterableIterator<Batch, undefined> {
  private current: AsyncIterator<Batch> | null = null;
  private hasBegun = false;

  constructor(
    private readonly model: HostedModel,
    private readonly begin: (candidate: Candidate) => ProviderAttempt,
    private readonly options: Pick<GenerateOptions, 'onProvider' | 'onDropped'>,
  ) {}

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.hasBegun) return this.current?.next() ?? Promise.resolve(END);
    this.hasBegun = true;
    return firstAnswer(this.model, async (candidate) => {
      const attempt = this.begin(candidate);
      this.current = attempt.events;
      const first = await attempt.first().catch((error: unknown) => {
        // The attempt may not have been sent: a caller that keeps reading must not send it.
        this.current = null;
        throw error;
      });
      this.options.onProvider?.({ name: candidate.name, model: candidate.model, response: attempt.identity });
      this.options.onDropped?.(attempt.dropped);
      return first;
    });
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.hasBegun = true;
    await this.current?.return?.();
    return END;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
