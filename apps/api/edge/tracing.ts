import type { FastifyInstance } from 'fastify';
import { endFailed, inSpan, isTracing, SpanKind, startSpan } from '#primitives/tracing/index.js';
import type { FastifyReply, FastifyRequest } from './http.js';

/**
 * A span for each request, which continues the trace of its `traceparent`. Named by the route, never by the address, which may hold names
 * and tokens. Call it before any other hook is added. https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  fastify.addHook('onRequest', (request: FastifyRequest, { raw }: FastifyReply, done) => {
    const { method, headers, routeOptions, id } = request;
    const route = routeOptions.url ?? 'none';
    const span = startSpan(`${method} ${route}`, {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': method, 'http.route': route, 'anneal.request.id': id },
      carrier: headers,
    });
    if (span !== null)
      raw.once('close', () => {
        if (raw.headersSent) span.setAttribute('http.response.status_code', raw.statusCode);
        if (!raw.headersSent || raw.statusCode >= 500)
          endFailed(span, raw.headersSent ? String(raw.statusCode) : 'gone');
        span.end();
      });
    inSpan(span, done);
  });
}
