import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { HEALTH_SOURCES, type HealthSource } from './health-source.js';
import { HealthModule } from './health.module.js';

/** Until a request has come whole. */
const REQUEST_MS = 15_000;
/** Of what asks for health there is none. */
const MAX_BODY_BYTES = 1_024;

@Module({})
class HealthOnlyModule {
  static with(sources: readonly HealthSource[]): DynamicModule {
    const provider = { provide: HEALTH_SOURCES, useValue: sources };
    return {
      module: HealthOnlyModule,
      global: true,
      imports: [HealthModule],
      providers: [provider],
      exports: [provider],
    };
  }
}

/**
 * Serves `/health`, `/health/live` and `/health/ready` of a process that has no API, for whoever keeps it running.
 * @returns closes it
 */
export async function serveHealth(
  sources: readonly HealthSource[],
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ close(): Promise<void> }> {
  const app = await NestFactory.create<NestFastifyApplication>(
    HealthOnlyModule.with(sources),
    new FastifyAdapter({ requestTimeout: REQUEST_MS, bodyLimit: MAX_BODY_BYTES }),
    {
      logger: false,
      abortOnError: false,
    },
  );
  await app.init();
  await app.getHttpAdapter().getInstance().listen({ host, port });
  return app;
}
