import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, RequestListener } from 'node:http';
import { randomUUID } from 'node:crypto';
import { IdempotencyRecords } from '#application/idempotency/index.js';
import { announceSuccessors, withoutAlias } from './aliases.js';
import { refuseOtherMethods } from './allowed-methods.js';
import { serveBatchLines } from './batches/serve-lines.js';
import { AnswerBudget } from '#use-cases/calls/answer-budget.js';
import { addAnswerBudget } from './answer-budget.js';
import { ApiModule, type ApiParts } from './api.module.js';
import { RefusedNetworks } from './accounts/refused-networks.js';
import { Authenticator } from './auth/authenticator.js';
import { credentialsOf } from './auth/credentials.js';
import { addBodyReader } from './body/body-reader.js';
import { sayWhenClosing } from './close-api.js';
import { addCors } from './cors.js';
import { addConnections, Connections } from './connections/connections.js';
import { connectionLimits } from './connections/limits.js';
import { addConditionalRequests } from './conditional.js';
import { serveConsole } from './console/serve-console.js';
import { sendError } from './errors/filter.js';
import { refuseUnreadable } from './errors/unreadable.js';
import { addIdempotency } from './idempotency/interceptor.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { NestLogger } from './logging/nest-logger.js';
import { addRequestLog, countRequests } from './logging/request-log.js';
import { serveDocumentation } from './openapi/openapi.js';
import { refuseChanges, sayAsOf } from './past.js';
import { ContentReads } from './reads/content-reads.js';
import { recordReads } from './reads/record-reads.js';
import { addCommonHeaders, addGate } from './request-hook.js';
import { refuseUnknownInput } from './validation/index.js';

/** The HTTP API, ready but not listening. */
export async function createApi(parts: ApiParts): Promise<NestFastifyApplication> {
  const { settings, logger, application } = parts;
  if (application.deployment.encryptsContents) await application.contentKeys?.ready();
  const limits = connectionLimits(settings.bodyMaxBytes, parts.connections);
  const connections = new Connections(limits, settings.trustedProxies === null);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: settings.bodyMaxBytes,
    trustProxy: settings.trustedProxies ?? false,
    genReqId: requestId,
    rewriteUrl: withoutAlias,
    forceCloseConnections: 'idle',
    serverFactory: (handler: RequestListener) => connections.createServer(handler),
    routerOptions: { maxParamLength: 2_000, ignoreTrailingSlash: true },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // No hook runs, because the address cannot be parsed.
      addCommonHeaders(request, reply);
      sendError(whoAsks(request) ?? error, request, reply, logger);
    },
    clientErrorHandler: refuseUnreadable,
    // This API's own has the shape of every other error.
    return503OnClosing: false,
    skipMiddie: true,
  });
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.with(parts), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  addConnections(fastify, connections);
  addRequestLog(fastify, logger);
  if (parts.metrics) countRequests(fastify, parts.metrics);
  if (parts.past) sayAsOf(fastify, parts.past);
  if (settings.corsOrigins !== null) addCors(fastify, settings.corsOrigins);
  announceSuccessors(fastify, settings.publicUrl);
  sayWhenClosing(fastify);
  addGate(fastify, {
    authenticator: app.get(Authenticator),
    limiter: app.get(RateLimiter),
    refusedNetworks: app.get(RefusedNetworks),
    site: { publicUrl: settings.publicUrl, corsOrigins: settings.corsOrigins },
  });
  if (parts.past) refuseChanges(fastify, parts.past);
  refuseOtherMethods(fastify);
  addBodyReader(fastify, settings.bodyMaxBytes);
  refuseUnknownInput(fastify);
  addConditionalRequests(fastify);
  addAnswerBudget(fastify, app.get(AnswerBudget));
  addIdempotency(fastify, new IdempotencyRecords(parts.application.ports.coordination), parts.secret);
  const { eventStore } = (parts.past?.present ?? parts.application).ports;
  recordReads(fastify, new ContentReads({ eventStore, logger, metrics: parts.metrics }));
  const lines = serveBatchLines(fastify, parts.application.ports.bus, app.get(Authenticator));
  fastify.addHook('preClose', () => lines.stop());
  serveDocumentation(app);
  serveConsole(fastify, parts.application.ports.objectStore);
  await app.init();
  await fastify.ready();
  return app;
}

/** A request without credentials is 401, whatever its route. */
function whoAsks({ headers }: FastifyRequest): unknown {
  try {
    credentialsOf(headers);
    return null;
  } catch (error) {
    return error;
  }
}

/** The client's own id if it is valid, so that both sides' logs correspond. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}
