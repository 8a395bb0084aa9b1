import 'reflect-metadata';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IdempotencyRecords } from '#application/idempotency/index.js';
import type { Logger } from '#logging/logger.js';
import { announceSuccessors } from './aliases.js';
import { refuseOtherMethods } from './allowed-methods.js';
import { serveBatchLines } from './batches/serve-lines.js';
import { AnswerBudget } from '#use-cases/calls/answer-budget.js';
import { apiAdapter } from './adapter.js';
import { addAnswerBudget } from './answer-budget.js';
import { ApiModule, type ApiParts } from './api.module.js';
import { RefusedNetworks } from './accounts/refused-networks.js';
import { Authenticator } from './auth/authenticator.js';
import { addBodyReader } from './body/body-reader.js';
import { sayWhenClosing } from './close-api.js';
import { addCors } from './cors.js';
import { addConditionalRequests } from './conditional.js';
import { serveConsole } from './console/serve-console.js';
import { addIdempotency } from './idempotency/interceptor.js';
import { RateLimiter } from './limits/rate-limiter.js';
import { NestLogger } from './logging/nest-logger.js';
import { addRequestLog, countRequests } from './logging/request-log.js';
import { serveDocumentation } from './openapi/openapi.js';
import { refuseChanges, sayAsOf } from './past.js';
import { ContentReads } from './reads/content-reads.js';
import { recordReads } from './reads/record-reads.js';
import { addGate } from './request-hook.js';
import { refuseUnknownInput } from './validation/index.js';

/** The HTTP API, ready but not listening. */
export async function createApi(parts: ApiParts): Promise<NestFastifyApplication> {
  const options = { ...nestOptions(parts.logger), abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.with(parts), apiAdapter(parts), options);
  await completeApi(app, parts);
  return app;
}

/** Options of the Nest application. */
export const nestOptions = (logger: Logger): NestApplicationOptions => ({
  logger: new NestLogger(logger),
  bodyParser: false,
});

/** Adds to a Nest application of `ApiModule` everything that is not in its modules, and makes it ready for requests. */
export async function completeApi(app: NestFastifyApplication, parts: ApiParts): Promise<void> {
  const { settings, logger, application } = parts;
  if (application.deployment.encryptsContents) await application.contentKeys?.ready();
  const fastify = app.getHttpAdapter().getInstance();
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
  addIdempotency(
    fastify,
    new IdempotencyRecords(application.ports.coordination, { background: application.background }),
    parts.secret,
  );
  const { eventStore } = (parts.past?.present ?? parts.application).ports;
  recordReads(fastify, new ContentReads({ eventStore, logger, metrics: parts.metrics }));
  const lines = serveBatchLines(fastify, parts.application.ports.bus, app.get(Authenticator));
  fastify.addHook('preClose', () => lines.stop());
  serveDocumentation(app);
  serveConsole(fastify, parts.application.ports.objectStore);
  await app.init();
  await fastify.ready();
}
