import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AccountBook } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';
import { AccountsModule } from './routes/accounts/accounts.module.js';
import { RefusedNetworks } from './edge/auth/refused-networks.js';
import { Authenticator } from './edge/auth/authenticator.js';
import { BatchesModule } from './routes/batches/batches.module.js';
import { BillingModule } from './routes/billing/billing.module.js';
import { CatalogModule } from './routes/catalog/catalog.module.js';
import { DialectsModule } from './dialects/dialects.module.js';
import { DatasetsModule } from './routes/datasets/datasets.module.js';
import { ErrorFilter } from './edge/errors/filter.js';
import { AuditModule } from './routes/audit/audit.module.js';
import { EventsModule } from './routes/events/events.module.js';
import { EvaluationsModule } from './routes/evaluations/evaluations.module.js';
import { GenerationModule } from './routes/generation/generation.module.js';
import type { HealthSource } from '#primitives/health/health.js';
import { HEALTH_SOURCES } from './routes/health/health.controller.js';
import { FilesModule } from './routes/files/files.module.js';
import { FineTuningModule } from './routes/fine-tuning/fine-tuning.module.js';
import { HealthModule } from './routes/health/health.module.js';
import { ImprovementsModule } from './routes/improvements/improvements.module.js';
import { InferencesModule } from './routes/inferences/inferences.module.js';
import { RateLimiter } from './edge/limits/rate-limiter.js';
import type { Logger } from '#primitives/logging/logger.js';
import { LiveMessages } from './edge/live-messages.js';
import { LOGGER } from './edge/logging/nest-logger.js';
import { LineageModule } from './routes/lineage/lineage.module.js';
import { ModelsModule } from './routes/models/models.module.js';
import { OidcModule } from './routes/oidc/oidc.module.js';
import { ObjectsModule } from './routes/objects/objects.module.js';
import type { Metrics } from '#primitives/metrics/metrics.js';
import { OperatorModule } from './routes/operator/operator.module.js';
import type { Past } from './past.js';
import { ProjectsModule } from './routes/projects/projects.module.js';
import { RetentionModule } from './routes/retention/retention.module.js';
import { ReviewModule } from './routes/review/review.module.js';
import { TrainingJobsModule } from './routes/training-jobs/training-jobs.module.js';
import { RequestValidationPipe } from './edge/validation/pipe.js';
import { UseCasesModule } from '#use-cases/use-cases.module.js';
import { WebhooksModule } from './routes/webhooks/webhooks.module.js';
import { WorkspaceModule } from './routes/workspace/workspace.module.js';

/** A line for each resource. */
const RESOURCES = [
  AccountsModule,
  BatchesModule,
  BillingModule,
  CatalogModule,
  DialectsModule,
  DatasetsModule,
  EvaluationsModule,
  AuditModule,
  EventsModule,
  FilesModule,
  FineTuningModule,
  GenerationModule,
  HealthModule,
  ImprovementsModule,
  InferencesModule,
  LineageModule,
  ModelsModule,
  ObjectsModule,
  OperatorModule,
  ProjectsModule,
  RetentionModule,
  ReviewModule,
  TrainingJobsModule,
  WebhooksModule,
  WorkspaceModule,
];

export interface ApiParts {
  readonly application: Application;
  readonly settings: Settings;
  readonly secret: SecretKey;
  /** The engines whose models the API offers. */
  readonly engines: Engines;
  readonly logger: Logger;
  readonly healthSources: readonly HealthSource[];
  /** Count requests and shadow calls, where given. */
  readonly metrics?: Metrics | null;
  /** Point of the log where `application` ends; absent for the present system. */
  readonly past?: Past;
}

@Module({})
export class ApiModule {
  static with({
    application,
    past,
    settings,
    secret,
    engines,
    logger,
    healthSources,
    metrics,
  }: ApiParts): DynamicModule {
    const present = past?.present;
    const shared = [
      { provide: LOGGER, useValue: logger },
      { provide: HEALTH_SOURCES, useValue: healthSources },
      {
        provide: Authenticator,
        useFactory: (accounts: AccountBook) => new Authenticator(present ?? application, secret, accounts),
        inject: [AccountBook],
      },
      LiveMessages,
      RateLimiter,
      RefusedNetworks,
    ];
    return {
      module: ApiModule,
      global: true,
      imports: [
        UseCasesModule.with({ application, settings, secret, engines, metrics: metrics ?? null, present }),
        ...RESOURCES,
        ...(settings.oidcIssuer === null ? [] : [OidcModule]),
      ],
      providers: [
        ...shared,
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
      exports: shared,
    };
  }
}
