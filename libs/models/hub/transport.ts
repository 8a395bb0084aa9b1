import { DomainError, UnavailableError } from '#domain/errors.js';
import { EgressFailedError, EgressRefusedError, type Egress } from '#primitives/egress/index.js';
import { HubAnswerError, meaningOf, type HubSubject } from './answers.js';

/** Limit for all requests before rows are sent. */
const ASKING_MS = 30_000;

/** Sends the library's requests to a hub, and turns what fails into DomainErrors. */
export class HubTransport {
  private readonly origin: string;

  /** @param url base address without a trailing slash */
  constructor(
    private readonly url: string,
    private readonly egress: Egress,
  ) {
    this.origin = new URL(url).origin;
  }

  /** Runs requests of the library within the time limit. @throws DomainError */
  async ask<T>(asked: HubSubject, signal: AbortSignal | undefined, work: (fetch: Fetch) => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout(ASKING_MS);
    const both = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      return await work(this.fetch(both));
    } catch (error) {
      if (deadline.aborted && !signal?.aborted) throw new UnavailableError('the hub did not answer in time; try again');
      throw asDomainError(error, asked, signal);
    }
  }

  /** Arguments of every request of the library. */
  readonly common = (fetch: Fetch, token: string | null) => ({
    hubUrl: this.url,
    fetch,
    ...(token !== null && { accessToken: token }),
  });

  /** The `fetch` for the library, which follows addresses named by the hub: the token is sent to the hub only. */
  fetch(signal: AbortSignal | undefined): Fetch {
    return (async (input: string | URL, init: RequestInit = {}) => {
      const address = new URL(input);
      const headers = new Headers(init.headers);
      if (address.origin !== this.origin) headers.delete('authorization');
      const signals = [signal, init.signal].filter((each) => each !== undefined && each !== null);
      const response = await this.egress.fetch(address, {
        ...init,
        headers,
        ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
      });
      if (response.ok) return response;
      await response.body?.cancel();
      const { status, headers: told } = response;
      throw new HubAnswerError(status, told.get('x-error-code'), told.get('retry-after') ?? resetIn(told));
    }) as Fetch;
  }
}

type Fetch = typeof globalThis.fetch;

/** Seconds until the hub's limit of requests is renewed, as in `RateLimit: "api";r=0;t=55`. */
const resetIn = (headers: Headers): string | null => /;\s*t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1] ?? null;

/** @returns the error unchanged if the caller's signal aborted */
export function asDomainError(error: unknown, asked: HubSubject, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || error instanceof DomainError) return error;
  if (error instanceof HubAnswerError) return meaningOf(error, asked);
  if (error instanceof EgressRefusedError)
    return new UnavailableError(`the hub redirects to an address that is not allowed: ${error.message}`, {
      cause: error,
    });
  if (error instanceof EgressFailedError)
    return new UnavailableError(`the hub cannot be reached: ${error.message}`, { cause: error });
  // The library's own: an answer in a shape that it does not know; or a body that broke off.
  return new UnavailableError('the hub sent an answer that cannot be read; try again later', { cause: error });
}
