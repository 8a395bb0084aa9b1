import 'reflect-metadata';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { IdempotencyRecords } from '#log/idempotency/index.js';
import type { Logger } from '#primitives/logging/logger.js';
import { announceSuccessors } from './edge/aliases.js';
import { refuseOtherMethods } from './edge/allowed-methods.js';
import { serveBatchLines } from './dialects/serve-batch-lines.js';
import { AnswerBudget } from '#use-cases/calls/answer-budget.js';
import { apiAdapter } from './adapter.js';
import { addAnswerBudget } from './edge/answer-budget.js';
import { ApiModule, type ApiParts } from './api.module.js';
import { RefusedNetworks } from './edge/auth/refused-networks.js';
import { Authenticator } from './edge/auth/authenticator.js';
import { addBodyReader } from './edge/body/body-reader.js';
import { sayWhenClosing } from './edge/close-api.js';
import { addCors } from './edge/cors.js';
import { addCompression } from './edge/compression.js';
import { addConditionalRequests } from './edge/conditional.js';
import { serveConsole } from './edge/console/serve-console.js';
import { addIdempotency } from './edge/idempotency/interceptor.js';
import { RateLimiter } from './edge/limits/rate-limiter.js';
import { NestLogger } from './edge/logging/nest-logger.js';
import { reportRequests } from './edge/logging/request-log.js';
import { serveDocumentation } from './edge/openapi/openapi.js';
import { refuseChanges, sayAsOf } from './past.js';
import { SeenKeys } from './edge/auth/seen-keys.js';
import { ContentReads } from './edge/reads/content-reads.js';
import { recordReads } from './edge/reads/record-reads.js';
import { refuseNotServed } from './edge/not-served.js';
import { addGate } from './edge/request-hook.js';
import { takeDeployments } from './edge/base-urls.js';
import { traceRequests } from './edge/tracing.js';
import { nameIgnored } from './edge/ignored-fields.js';
import { refuseUnknownInput } from './edge/validation/index.js';

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
  traceRequests(fastify);
  nameIgnored(fastify);
  reportRequests(fastify, { logger, metrics: parts.metrics ?? null });
  if (parts.past) sayAsOf(fastify, parts.past);
  if (settings.corsOrigins !== null) addCors(fastify, settings.corsOrigins);
  announceSuccessors(fastify, settings.publicUrl);
  sayWhenClosing(fastify);
  addGate(fastify, {
    authenticator: app.get(Authenticator),
    limiter: app.get(RateLimiter),
    refusedNetworks: app.get(RefusedNetworks),
    seenKeys: new SeenKeys(parts.past?.present ?? parts.application, parts.secret),
    site: { publicUrl: settings.publicUrl, corsOrigins: settings.corsOrigins },
  });
  if (parts.past) refuseChanges(fastify, parts.past);
  refuseNotServed(fastify);
  refuseOtherMethods(fastify);
  addBodyReader(fastify, settings.bodyMaxBytes);
  refuseUnknownInput(fastify);
  takeDeployments(fastify);
  addConditionalRequests(fastify);
  addCompression(fastify);
  addAnswerBudget(fastify, app.get(AnswerBudget));
  addIdempotency(
    fastify,
    new IdempotencyRecords(application.ports.coordination, { background: application.background }),
    parts.secret,
  );
  const { eventStore } = (parts.past?.present ?? parts.application).ports;
  recordReads(fastify, new ContentReads({ eventStore, logger, metrics: parts.metrics }));
  if (!parts.past) serveBatchLines(app, application.ports.bus);
  serveDocumentation(app);
  serveConsole(fastify, parts.application.ports.objectStore);
  await app.init();
  await fastify.ready();
}
