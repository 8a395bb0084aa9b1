import { UnavailableError } from '#domain/errors.js';

/** A refused field: its path, the problem, and a stable word for the kind of problem. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

interface HttpErrorOptions {
  /** The body's `detail`, unless it equals the message. */
  readonly detail?: string | Readonly<Record<string, string>>;
  /** A stable word for programs. */
  readonly code?: string;
  readonly errors?: readonly FieldError[];
  /** A page where a person can resolve it: 402 and 403 about billing. */
  readonly resolutionUrl?: string;
  /** Only for a 429. */
  readonly scope?: string;
  /** Only for a 429 because of a full queue: the workspace's queue length. */
  readonly queueLength?: number;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The model, field or parameter it is about, for OpenAI's `param`. */
  readonly param?: string;
  readonly cause?: unknown;
}

/** An answer that is not a success, before it is put into the envelope of the caller's dialect. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  constructor(
    readonly status: number,
    message: string,
    readonly options: HttpErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}

/** The API closes in order: no failure. */
export class StoppingError extends UnavailableError {
  override readonly name = 'StoppingError';
  constructor() {
    super('the server is stopping; try again');
  }
}

export const badRequest = (message: string, options?: HttpErrorOptions): HttpError =>
  new HttpError(400, message, options);

/** A summary for people: the first refused field, and the number of others. */
export function summaryOf(errors: readonly FieldError[]): string {
  const [first, ...rest] = errors;
  if (!first) return 'the request is not valid';
  const where = first.loc.slice(1).join('.') || first.loc.join('.');
  return `${where}: ${first.msg}${rest.length > 0 ? ` (and ${rest.length} more)` : ''}`;
}
