import type { FastifyInstance } from 'fastify';
import type { Logger } from '#primitives/logging/logger.js';
import type { Metrics } from '#primitives/metrics/metrics.js';
import { boundToSpan } from '#primitives/tracing/index.js';
import { ignoredIn } from '../ignored-fields.js';
import type { FastifyReply, FastifyRequest, RouteRequest } from '../http.js';

/** The log and the metrics, which are told of each request. */
export interface RequestReports {
  readonly logger: Logger;
  readonly metrics: Metrics | null;
}

/**
 * Reports each request once, when it has been answered, or when its client has disconnected, during a stream or while
 * it waited. Fastify's own `onResponse` omits those.
 */
export function reportRequests(fastify: FastifyInstance, reports: RequestReports): void {
  if (reports.metrics === null && !reports.logger.isLevelEnabled('info')) return;
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const start = performance.now();
    const { raw } = reply;
    const report = () => reportEnd(reports, request, raw.headersSent ? raw.statusCode : GONE, start);
    raw.once('close', boundToSpan(report));
    done();
  });
}

/** The status of a request whose client had disconnected before any answer, as in nginx. */
export const GONE = 499;

/** A caller may put anything into a name: the log has those that look like one. */
const shown = (names: readonly string[]): readonly string[] =>
  names.map((name) => (/^[a-z]{1,20}(?:[._][a-z]{1,20}){0,4}$/i.test(name) ? name : '...'));

/**
 * Counts a request, and writes a line: with its route's template, never its address, which may hold names and tokens.
 * @param start of `performance.now()`, at its first line
 */
export function reportEnd(
  { logger, metrics }: RequestReports,
  { id, method, routeOptions, body }: RouteRequest,
  status: number,
  start: number,
): void {
  const ms = performance.now() - start;
  const route = routeOptions.url ?? 'none';
  metrics?.answered({ method, route, status, ms });
  if (!logger.isLevelEnabled('info')) return;
  const ignored = ignoredIn(body);
  const durationMs = Math.round(ms * 10) / 10;
  logger.info({
    requestId: id,
    method,
    route,
    status,
    durationMs,
    ...(ignored !== null && { ignored: shown(ignored) }),
  });
}
