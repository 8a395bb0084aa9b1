import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { apiAdapter } from '#apps/api/adapter.js';
import { ApiModule, type ApiParts } from '#apps/api/api.module.js';
import { connectionLimits, type ConnectionLimits } from '#apps/api/edge/connections/limits.js';
import { completeApi, nestOptions } from '#apps/api/create-api.js';
import { NestLogger } from '#apps/api/edge/logging/nest-logger.js';

/** What a spec replaces in the API. */
export interface ApiChanges {
  /** `(api) => api.overrideProvider(HEALTH_SOURCES).useValue([])` */
  readonly override?: (api: TestingModuleBuilder) => TestingModuleBuilder;
  readonly connections?: Partial<ConnectionLimits>;
}

/** The API of `createApi`, with replaced providers. */
export async function openApi(
  parts: ApiParts,
  { override = (api) => api, connections }: ApiChanges = {},
): Promise<NestFastifyApplication> {
  const builder = Test.createTestingModule({ imports: [ApiModule.with(parts)] });
  const module = await override(builder).setLogger(new NestLogger(parts.logger)).compile();
  const adapter = apiAdapter(parts, { ...connectionLimits(parts.settings.bodyMaxBytes), ...connections });
  const app = module.createNestApplication<NestFastifyApplication>(adapter, nestOptions(parts.logger));
  await completeApi(app, parts);
  return app;
}
