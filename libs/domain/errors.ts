/**
 * A refusal. Its message names the fault and the mend, and clients see it. `apps/api/edge/errors` maps errors to HTTP,
 * fields to their place in the request, and `mend` to words.
 */
export abstract class DomainError extends Error {
  /** Stable, for programs. */
  abstract readonly code: string;
  /** The suggested next request, if the message does not say it. */
  readonly mend: Mend | null = null;
}

export type Mend =
  /** Upload the file, and have it processed. */
  | 'process-upload'
  /** Have uploads processed, or delete their versions. */
  | 'end-uploads'
  /** Continue a text with the model, or name its instruct variant. */
  | 'complete'
  /** Chat with the model, or name an embedder. */
  | 'chat-or-embedder'
  /** Continue a text with the model, or name an embedder. */
  | 'complete-or-embedder'
  /** Make embeddings with the model. */
  | 'embed'
  /** Send the texts in the native form. */
  | 'label';

/** The thing does not exist, was deleted, or belongs to another workspace; the error does not reveal which. */
export class NotFoundError extends DomainError {
  override readonly name = 'NotFoundError';
  readonly code = 'not_found';
  constructor(
    readonly what: string,
    readonly id: string,
    /** Why that may be. */
    hint?: string,
    /** The point of the log at which it does not; undefined: now. */
    asOf?: string,
  ) {
    const when = asOf === undefined ? '' : ` as of ${asOf}`;
    super(`${what} ${JSON.stringify(id)} does not exist${when}${hint === undefined ? '' : `; ${hint}`}`);
  }
}

/** The present state forbids it. The message names the state. */
export class ConflictError extends DomainError {
  override readonly name = 'ConflictError';
  readonly code = 'conflict';
  override readonly mend: Mend | null;
  constructor(message: string, { mend = null, ...options }: ErrorOptions & { readonly mend?: Mend | null } = {}) {
    super(message, options);
    this.mend = mend;
  }
}

/** The model that a request names cannot answer such a request. The mend names the one that can. */
export class WrongModelError extends DomainError {
  override readonly name = 'WrongModelError';
  readonly code = 'invalid_request';
  constructor(
    message: string,
    override readonly mend: Mend,
  ) {
    super(message);
  }
}

/** Stored content differs from the log's record of it. The message names it and how to restore it. */
export class DamagedError extends DomainError {
  override readonly name = 'DamagedError';
  readonly code = 'damaged';
}

/** The model cannot serve this call yet, but will. */
export class NotReadyYetError extends DomainError {
  override readonly name = 'NotReadyYetError';
  constructor(
    /** `provisioning`: no runner serves it yet; `warming_up`: a runner is loading it. */
    readonly code: 'provisioning' | 'warming_up',
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** The account's money does not allow it. */
export class BillingError extends DomainError {
  override readonly name = 'BillingError';
  constructor(
    readonly code: 'out_of_credits' | 'direct_model_requires_credits' | 'credit_ceiling_reached' | 'card_required',
    message: string,
    /** Whether the budget of an API key refused, which its owner sets. */
    readonly isOfKey = false,
  ) {
    super(message);
  }
}

/** The workspace's queue is full. */
export class QueueFullError extends DomainError {
  override readonly name = 'QueueFullError';
  readonly code = 'queue_full';
  constructor(
    message: string,
    /** The queue: `training-jobs`, `inference`, ... */
    readonly scope: string,
    /** The workspace's queue length and its limit. */
    readonly queue: { readonly length: number; readonly limit: number },
    readonly retryAfterSeconds: number,
    override readonly mend: Mend | null = null,
  ) {
    super(message);
  }
}

/** A workspace's quota is exceeded. The message names the quota, the amount and the mend. */
export class QuotaExceededError extends DomainError {
  override readonly name = 'QuotaExceededError';
  readonly code = 'quota_exceeded';
}

/** Export control or sanctions forbid this model in the account's region. */
export class RegionRestrictedError extends DomainError {
  override readonly name = 'RegionRestrictedError';
  readonly code = 'region_restricted';
}

/** A field's value is refused. */
export class InvalidError extends DomainError {
  override readonly name = 'InvalidError';
  readonly code = 'invalid';
  readonly fields: readonly InvalidField[];
  constructor(fields: readonly InvalidField[] | InvalidField) {
    const list = Array.isArray(fields) ? (fields as readonly InvalidField[]) : [fields as InvalidField];
    super(list.map((field) => `${field.path.join('.')}: ${field.message}`).join('; '));
    this.fields = list;
  }
}

export interface InvalidField {
  /** The field, by the name that it has in the command: `['datasets', 0, 'name']`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** A stable word: `missing`, `wrong_type`, `out_of_range`, `unknown_field`, `not_allowed`. */
  readonly type: string;
  readonly mend?: Mend;
}

/** The caller lacks the permission. */
export class ForbiddenError extends DomainError {
  override readonly name = 'ForbiddenError';
  readonly code = 'forbidden';
}

/** The act needs a second person; it was recorded as a proposal, and nothing else has happened. */
export class ProposedError extends DomainError {
  override readonly name = 'ProposedError';
  readonly code = 'proposed';
  constructor(
    readonly proposalId: string,
    readonly expiresAt: string,
  ) {
    super(
      `this needs a second person: proposal ${proposalId} waits for another member's confirmation until ${expiresAt}`,
    );
  }
}

/** A dependency is unavailable; a later retry may succeed. */
export class UnavailableError extends DomainError {
  override readonly name: string = 'UnavailableError';
  readonly code = 'unavailable';
  readonly retryAfterSeconds: number;
  constructor(message: string, options: ErrorOptions & { readonly retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** A limit of the API key's own lets no more through for now. */
export class KeyRateError extends UnavailableError {
  override readonly name: string = 'KeyRateError';
  constructor(
    message: string,
    /** What is limited: `key-requests`, `key-tokens`. */
    readonly scope: string,
    readonly limit: number,
    readonly resetInMs: number,
  ) {
    super(message, { retryAfterSeconds: Math.max(1, Math.ceil(resetInMs / 1000)) });
  }
}

/** The event log gives no definite answer in time, or accepts no writes now. */
export class LogUnavailableError extends UnavailableError {
  override readonly name: string = 'LogUnavailableError';
}

/** The model's server accepts no more requests at present. */
export class SaturatedError extends UnavailableError {
  override readonly name: string = 'SaturatedError';
  constructor(message: string, retryAfterSeconds: number, options: ErrorOptions = {}) {
    super(message, { ...options, retryAfterSeconds });
  }
}

/** The provider of a hosted model refuses the request itself: its own status and message. */
export class UpstreamRejectedError extends DomainError {
  override readonly name = 'UpstreamRejectedError';
  readonly code: string;
  constructor(
    message: string,
    readonly status: 400 | 413 | 422,
    /** The provider's own code and field, if it gave them. */
    readonly upstream: { readonly code?: string; readonly param?: string } = {},
  ) {
    super(message);
    this.code = upstream.code ?? 'upstream_rejected';
  }
}
