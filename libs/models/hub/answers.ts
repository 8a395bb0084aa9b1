import { InvalidError, NotFoundError, UnavailableError } from '#domain/errors.js';

/** The subject of a request to the hub, for its error message. */
export interface HubSubject {
  readonly repoId: string;
  readonly revision: string | null;
  readonly withToken: boolean;
  readonly writes: boolean;
  /** The name of the place of the caller's token; `hf_token` by default. */
  readonly tokenIn?: string;
}

/** An answer that is no success. The hub's own words are not passed on: they may quote the request. */
export class HubAnswerError extends Error {
  override readonly name = 'HubAnswerError';
  constructor(
    readonly status: number,
    /** `X-Error-Code`: `RepoNotFound`, `RevisionNotFound`, `EntryNotFound`, `GatedRepo`. */
    readonly code: string | null,
    readonly retryAfter: string | null,
  ) {
    super(`the hub answered ${status}${code === null ? '' : ` (${code})`}`);
  }
}

/**
 * Translates a hub response into an error for our caller.
 * @returns NotFoundError, InvalidError naming the field, or UnavailableError when a retry may help
 */
export function meaningOf(
  { status, code, retryAfter }: HubAnswerError,
  { repoId, revision, withToken, writes, tokenIn = 'hf_token' }: HubSubject,
): Error {
  if (status === 429) {
    const after = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? `in ${retryAfter} s` : 'later';
    return new UnavailableError(`the hub's rate limit is reached; try again ${after}`);
  }
  if (status >= 500) return new UnavailableError(`the hub failed (status ${status}); try again later`);
  if (code === 'GatedRepo')
    return invalid(tokenIn, `must be of an account that has been given access: ${repoId} is gated`);
  if (code === 'RevisionNotFound') return new NotFoundError('revision', `${repoId}@${revision ?? 'main'}`);
  if (code === 'EntryNotFound') return new NotFoundError('file of hub repository', repoId);
  const repository = withToken ? 'hub repository' : 'public hub repository';
  if (status === 404 || code === 'RepoNotFound')
    return writes
      ? invalid('repo_id', `names no place that this token may write to`)
      : new NotFoundError(repository, repoId);
  if (status === 401)
    return withToken
      ? invalid(tokenIn, 'is refused by the hub: it is wrong, or has been revoked')
      : new NotFoundError(repository, repoId);
  if (status === 403) return invalid(tokenIn, writes ? `may not write to ${repoId}` : `may not read ${repoId}`);
  if (status === 413) return invalid('repo_id', 'cannot take so large a file');
  return invalid('repo_id', `is refused by the hub (${status})`);
}

const invalid = (field: string, message: string): InvalidError =>
  new InvalidError({ path: [field], message, type: 'not_allowed' });
