import type { Provider } from './providers.js';

const MAX_AGE_MS = 60_000;

interface Recent {
  readonly workspaceId: string;
  readonly hasFailed: boolean;
  /** Unix ms. */
  readonly at: number;
}

/**
 * Outcomes of the last minute's calls of all workspaces to one model. A workspace contributes only its latest ones, a
 * quarter of those needed to find the model down, so that three workspaces alone cannot make it look so.
 */
export class RecentCalls {
  /** Oldest first. */
  private readonly calls: Recent[] = [];

  constructor(private readonly circuit: Provider['circuit']) {}

  add(workspaceId: string, hasFailed: boolean): void {
    const { calls } = this;
    const least = leastCalls(this.circuit);
    const at = Date.now();
    while (calls.length > 0 && calls[0]!.at < at - MAX_AGE_MS) calls.shift();
    const own = calls.filter((call) => call.workspaceId === workspaceId);
    if (own.length >= Math.ceil(least / 4)) calls.splice(calls.indexOf(own[0]!), 1);
    else if (calls.length >= this.circuit.calls) calls.shift();
    calls.push({ workspaceId, hasFailed, at });
  }

  /** Whether too many of them failed. */
  get showFailure(): boolean {
    const failed = this.calls.filter(({ hasFailed }) => hasFailed).length;
    const isEnough = this.calls.length >= leastCalls(this.circuit);
    return isEnough && failed * 100 > this.circuit.failurePercent * this.calls.length;
  }
}

/** Number of calls from which a circuit breaker judges. */
export const leastCalls = ({ calls }: Provider['circuit']): number => Math.ceil(calls / 2);
