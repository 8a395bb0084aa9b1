import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  CountBreaker,
  handleWhen,
  type CircuitBreakerPolicy,
  type IBreaker,
} from 'cockatiel';
import { AnswerTooLargeError } from './exchange.js';
import { HostedModelError } from './port.js';
import type { Provider } from './providers.js';
import { leastCalls, RecentCalls } from './recent-calls.js';
import { TAKES_NO_MORE } from './upstream-errors.js';

/** Limit on remembered workspaces; the least recent ones start afresh. */
const MAX_WORKSPACES = 1_000;

/**
 * Circuit breakers of one model of a provider, per workspace: a workspace's calls are refused only after one of its own
 * failed.
 */
export class Circuits {
  /** Ordered by last call, the latest at the end. */
  private readonly byWorkspace = new Map<string, Circuit>();
  private readonly recent: RecentCalls;

  constructor(private readonly provider: Provider) {
    this.recent = new RecentCalls(provider.circuit);
  }

  of(workspaceId: string): Circuit {
    const circuit = this.byWorkspace.get(workspaceId) ?? new Circuit(this.provider, workspaceId, this.recent);
    this.byWorkspace.delete(workspaceId);
    this.byWorkspace.set(workspaceId, circuit);
    if (this.byWorkspace.size > MAX_WORKSPACES) this.byWorkspace.delete(this.byWorkspace.keys().next().value!);
    return circuit;
  }
}

/**
 * Keeps calls of a workspace from a model of a provider that does not answer. A call counts as failed if the model was
 * unavailable, late or saturated. A 4xx or an answer that is too large does not count: a request may cause it. A call
 * that was cancelled, or delayed here by its own workspace's load, does not count either. After too many failures,
 * calls are refused at once for a while; then one is let through, and its outcome decides about the rest.
 */
class Circuit {
  /** null: it never opens. */
  private readonly policy: CircuitBreakerPolicy | null;
  private openedAt = 0;
  private isSaturated = false;
  /** The failure of the last call that was let through. */
  private probed: unknown = null;

  constructor(
    private readonly provider: Provider,
    workspaceId: string,
    recent: RecentCalls,
  ) {
    const { failurePercent, openMs } = provider.circuit;
    this.policy = null;
    if (failurePercent === 100) return;
    const breaker = breakerOf(provider.circuit, workspaceId, recent);
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
    // The probe was inconclusive, and earlier calls are unknown.
    if (error.kind === 'cancelled' || error.kind === 'crowded') return error === this.probed;
    const { upstreamStatus = 0 } = error.details;
    if (error.kind === 'unavailable' && upstreamStatus >= 400 && upstreamStatus < 500) return false;
    if (error.cause instanceof AnswerTooLargeError) return false;
    this.isSaturated = error.kind === 'saturated';
    return true;
  };

  private refusal(): HostedModelError {
    const { name: provider, circuit } = this.provider;
    const left = this.openedAt + circuit.openMs - Date.now();
    const details = { provider, retryAfterSeconds: Math.max(1, Math.ceil(left / 1_000)) };
    return this.isSaturated
      ? new HostedModelError('saturated', TAKES_NO_MORE, details)
      : new HostedModelError('unavailable', "the model's provider does not answer now; try again", details);
  }
}

/** Opens if too many of the workspace's own last calls failed, or if one did and too many of all workspaces'. */
function breakerOf(circuit: Provider['circuit'], workspaceId: string, recent: RecentCalls): IBreaker {
  const { calls: size, failurePercent } = circuit;
  const own = new CountBreaker({ size, threshold: failurePercent / 100, minimumNumberOfCalls: leastCalls(circuit) });
  return {
    state: null,
    success(state) {
      own.success(state);
      recent.add(workspaceId, false);
    },
    failure(state) {
      recent.add(workspaceId, true);
      return own.failure(state) || recent.showFailure;
    },
  };
}
