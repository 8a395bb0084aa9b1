import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  CountBreaker,
  handleWhen,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import { AnswerTooLargeError } from './exchange.js';
import { HostedModelError } from './port.js';
import type { Provider } from './providers.js';

/**
 * Keeps calls from a model of a provider that does not answer. Of its last calls those count as failed that it was not there for:
 * unavailable, late or saturated. What it rejects it has answered, and any other 4xx as well, or more than an answer may hold: a
 * request may bring that about (404 of a file), and is not to keep those of others away. Of a call that was cancelled, or never left for the crowd of its own workspace, nothing is known. Where too many failed, calls are refused at once for a while; then one is let through, and what becomes of that decides about the rest.
 */
export class Circuit {
  /** null: it never opens. */
  private readonly policy: CircuitBreakerPolicy | null;
  private openedAt = 0;
  private isSaturated = false;
  /** What the last call that was let through failed with. */
  private probed: unknown = null;

  constructor(private readonly provider: Provider) {
    const { calls, failurePercent, openMs } = provider.circuit;
    this.policy = null;
    if (failurePercent === 100) return;
    const breaker = new CountBreaker({
      ...{ threshold: failurePercent / 100, size: calls, minimumNumberOfCalls: Math.ceil(calls / 2) },
    });
    this.policy = circuitBreaker(handleWhen(this.isFailure), { breaker, halfOpenAfter: openMs });
    this.policy.onBreak(() => (this.openedAt = Date.now()));
  }

  /** @throws HostedModelError of the call, or that it was not made */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.policy === null) return call();
    const { state } = this.policy;
    if (state === CircuitState.HalfOpen) throw this.refusal();
    try {
      return await this.policy.execute(state === CircuitState.Open ? () => this.letThrough(call) : call);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? this.refusal() : error;
    }
  }

  private async letThrough<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.probed = error;
      throw error;
    }
  }

  private readonly isFailure = (error: unknown): boolean => {
    if (!(error instanceof HostedModelError) || error.kind === 'rejected') return false;
    // The one call that is let through has proved nothing. Of those before it nothing is known.
    if (error.kind === 'cancelled' || error.kind === 'crowded') return error === this.probed;
    const { upstreamStatus = 0 } = error.details;
    if (error.kind === 'unavailable' && upstreamStatus >= 400 && upstreamStatus < 500) return false;
    if (error.cause instanceof AnswerTooLargeError) return false;
    this.isSaturated = error.kind === 'saturated';
    return true;
  };

  private refusal(): HostedModelError {
    const { name, circuit } = this.provider;
    const left = this.openedAt + circuit.openMs - Date.now();
    const details = { retryAfterSeconds: Math.max(1, Math.ceil(left / 1_000)) };
    return this.isSaturated
      ? new HostedModelError('saturated', `the provider ${name} takes no more requests now; try again`, details)
      : new HostedModelError('unavailable', `the provider ${name} does not answer now; try again`, details);
  }
}
