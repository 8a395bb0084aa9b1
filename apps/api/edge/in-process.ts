import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Caller } from '#application/caller.js';
import type { BatchLine, BatchLineAnswer } from '#calls/batch-lines.js';
import type { CallRequest } from '#calls/request.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { Logger } from '#primitives/logging/logger.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { Settings } from '#settings/index.js';
import { Authenticator } from './auth/authenticator.js';
import { requirePermission } from './auth/permissions.js';
import { FEW_FIELDS } from './body/body-limits.js';
import { requireReadable } from './body/body-reader.js';
import { billingUrl, dialectOf, errorBody, inDialect, loggedError, toHttpError } from './errors/index.js';
import type { RouteRequest } from './http.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { LOGGER } from './logging/nest-logger.js';
import { GONE, reportEnd } from './logging/request-log.js';
import { routeConfigOf } from './route-config.js';

/** A body as it was sent, and by whom. */
export interface SentBody extends Pick<CallRequest, 'caller' | 'correlationId' | 'signal'> {
  readonly sent: JsonObject;
}

/** A controller whose POST can also be answered without a connection. */
export interface InProcessRoute {
  /** The route's handler. */
  readonly run: object;
  /** The body of its answer, which is not streamed. @throws DomainError, HttpError */
  whole(from: SentBody): Promise<object>;
}

/** Does for requests in process what hooks and the filter do for those of connections. */
@Injectable()
export class InProcessRequests {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limiter: RateLimiter,
    private readonly settings: Settings,
    private readonly host: HttpAdapterHost,
    @Inject(LOGGER) readonly logger: Logger,
    @Inject(Metrics) readonly metrics: Metrics | null,
  ) {}

  /** Admits, limits, answers and reports a request. */
  async answer(line: BatchLine, route: InProcessRoute, signal: AbortSignal): Promise<BatchLineAnswer> {
    const start = performance.now();
    const { endpoint: url, requestId: id, body: sent } = line;
    const request = { id, method: 'POST', url, body: sent, routeOptions: { url, config: routeConfigOf(route.run) } };
    let answer: BatchLineAnswer;
    try {
      const caller = await this.admitted(request, line);
      const whole = await route.whole({ caller, correlationId: id, sent, signal });
      const content = whole instanceof Readable ? await text(whole) : JSON.stringify(whole);
      answer = { status: 200, body: JSON.parse(content) as Json, retryAfterSeconds: null };
    } catch (error) {
      answer = this.refusal(error, request, signal.aborted);
    }
    reportEnd(this, request, signal.aborted ? GONE : answer.status, start);
    return answer;
  }

  /** Looks at the body last, as for a client's request. @throws DomainError, HttpError */
  private async admitted(request: RouteRequest, { caller, askedAt: madeAt, body, budget }: BatchLine): Promise<Caller> {
    const { rateLimit = 'default', bodyLimits = FEW_FIELDS } = request.routeOptions.config;
    const admitted = await this.authenticator.admitted({ caller, madeAt });
    requirePermission(admitted, request);
    await this.limiter.take(rateLimit, admitted);
    requireReadable(body, bodyLimits, this.settings.bodyMaxBytes);
    return budget ? { ...admitted, batchBudget: budget } : admitted;
  }

  private refusal(error: unknown, request: RouteRequest, isGone: boolean): BatchLineAnswer {
    const mapped = toHttpError(error, billingUrl(this.settings, this.host.httpAdapter.getInstance()));
    const dialect = dialectOf(request.url, false);
    const told = inDialect(loggedError(mapped, request, isGone, this.logger), dialect);
    const body = JSON.parse(JSON.stringify(errorBody(told, dialect, request.id))) as Json;
    return { status: told.status, body, retryAfterSeconds: told.options.retryAfterSeconds ?? null };
  }
}
