/** The kind of a provider's failure, as the caller sees it. */
export type HostedModelErrorKind =
  /** The provider refuses the request itself: `status` and message are for the caller. */
  | 'rejected'
  /** Rate limit or saturation there. */
  | 'saturated'
  /** The provider is down, refuses the operator's key, or answers malformed content. */
  | 'unavailable'
  | 'timeout'
  /** The workspace itself has too many calls there: `details.queue`. */
  | 'crowded'
  /** The caller has disconnected. */
  | 'cancelled';

export class HostedModelError extends Error {
  override readonly name = 'HostedModelError';
  constructor(
    readonly kind: HostedModelErrorKind,
    /** Shown to the caller: contains no name, key or address of the provider, or other detail of the operator's account. */
    message: string,
    readonly details: {
      /** Provider name in the providers file, for the log. */
      readonly provider?: string;
      /** The provider's status, if it answered: 400, 413 or 422 for `rejected`. */
      readonly upstreamStatus?: number;
      readonly retryAfterSeconds?: number;
      /** Only for `crowded`: the number of the workspace's calls, and the limit. */
      readonly queue?: { readonly length: number; readonly limit: number };
      /** The provider's own `code` and `param` of `rejected`, if it sent some. */
      readonly code?: string;
      readonly param?: string;
    } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get provider(): string | undefined {
    return this.details.provider;
  }
}

/** The error for a field that the provider's style cannot carry; it names the field. @param instead what the caller may do */
export const notCarried = (what: string, instead?: string): HostedModelError =>
  new HostedModelError(
    'rejected',
    `${what} cannot be sent to this model's provider${instead === undefined ? '' : `; ${instead}`}`,
    {
      upstreamStatus: 422,
      ...(FIELD.test(what) && { param: what }),
    },
  );

const FIELD = /^[a-z_]+(?:\.[a-z_]+)*$/;
