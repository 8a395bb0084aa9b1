import type { Dropped } from './dropped.js';
import type { Provider } from './providers.js';
import type { ResponseIdentity } from './response-identity.js';
import type { Posting } from './upstream.js';

/** The provider to call, and the call's options. */
export interface HostedCall {
  readonly provider: Provider;
  readonly upstream: Posting;
  /** Id of the model at the provider. */
  readonly model: string;
  readonly signal: AbortSignal | undefined;
  /** Collects the hints that the provider is not sent. */
  readonly dropped: Dropped;
  /** Collects what identifies the answer. */
  readonly identity: ResponseIdentity;
  /** False requests the whole answer at once. */
  readonly stream: boolean;
}
