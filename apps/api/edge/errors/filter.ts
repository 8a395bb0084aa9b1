import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { DamagedError, ProposedError, SaturatedError, type BillingError } from '#domain/errors.js';
import type { FastifyInstance } from 'fastify';
import { Settings } from '#settings/index.js';
import type { FastifyReply, FastifyRequest, RouteRequest } from '../http.js';
import { proposedOf } from '../two-people.js';
import { publicAddressOf } from '../public-address.js';
import type { Logger } from '#primitives/logging/logger.js';
import { LOGGER } from '../logging/nest-logger.js';
import { dialectOf, errorBody, inDialect } from './envelope.js';
import { HttpError, StoppingError } from './http-error.js';
import { toHttpError } from './map.js';

/** Turns errors into answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly settings: Settings,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (error instanceof ProposedError) return void http.getResponse<FastifyReply>().code(202).send(proposedOf(error));
    const told = toHttpError(error, billingUrl(this.settings, request.server));
    sendError(told, request, http.getResponse<FastifyReply>(), this.logger);
  }
}

/** The page where credits are added, or limits of keys are set. Ignores the Host header, which a client may choose. */
export const billingUrl =
  (settings: Settings, server: FastifyInstance) =>
  ({ isOfKey }: BillingError): string => {
    if (isOfKey) return `${publicAddressOf(settings, server)}/console/keys`;
    return settings.billingUrl ?? `${publicAddressOf(settings, server)}/account`;
  };

/**
 * Maps an error to the client's view of it, and logs one that is not the client's with the request's id; an outage not, if the
 * client is gone or the API is stopping.
 */
export function loggedError(error: unknown, request: RouteRequest, isGone: boolean, logger: Logger): HttpError {
  const mapped = toHttpError(error);
  const httpError = saysOverloaded(request.method, request.url) ? overloaded(mapped) : mapped;
  const isStopping = (mapped.options.cause ?? error) instanceof StoppingError;
  const isGivenUp = httpError.status === 503 && (isGone || isStopping);
  // Damage is also logged, for the operator who must restore the data.
  const isDamage = error instanceof DamagedError;
  if ((httpError.status >= 500 && !isGivenUp) || isDamage) {
    const level = httpError.status === 500 || isDamage ? 'error' : 'warn';
    logger[level]({ requestId: request.id, route: request.routeOptions.url, err: httpError.options.cause ?? error });
  }
  return httpError;
}

/** Sends an error in the envelope of the request's dialect. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const dialect = dialectOf(request.originalUrl, request.headers['anthropic-version'] !== undefined);
  const httpError = inDialect(loggedError(error, request, request.raw.socket.destroyed, logger), dialect);
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const { headers, retryAfterSeconds } = httpError.options;
  if (headers) void reply.headers(headers);
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  const again = shouldRetry(httpError);
  if (again !== null) void reply.header('x-should-retry', String(again));
  void reply
    .code(httpError.status)
    .removeHeader('content-length')
    .removeHeader('content-disposition')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(httpError, dialect, request.id)));
}

/** Whether the route has its own status for a saturated provider. */
const saysOverloaded = (method: string, url: string): boolean =>
  method === 'POST' && /^(?:\/v1){1,2}\/messages(?:\?|$)/.test(url);

/** Turns a saturated model's error into 529, as in Anthropic's API; returns other errors unchanged. */
function overloaded(error: HttpError): HttpError {
  if (!(error.options.cause instanceof SaturatedError)) return error;
  return new HttpError(529, error.message, { ...error.options, code: 'overloaded' });
}

/**
 * The value of `x-should-retry`, which the OpenAI and Anthropic SDKs obey; null if the status suffices: they retry 429
 * and 500 upwards, and no other refusal. Without the header they would retry every 409 and no 425.
 */
function shouldRetry({ status, options }: HttpError): boolean | null {
  switch (status) {
    case 425:
    case 529:
      return true;
    case 409:
      // A conflict with Retry-After may be resolved by then.
      return options.retryAfterSeconds !== undefined;
    case 402:
    case 403:
    case 451:
      return false;
    default:
      return null;
  }
}
