import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AccountBook } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { RefusedNetworks } from './accounts/refused-networks.js';
import { Authenticator } from './auth/authenticator.js';
import { BatchesModule } from './batches/batches.module.js';
import { BillingModule } from './billing/billing.module.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { DialectsModule } from './dialects/dialects.module.js';
import { DatasetsModule } from './datasets/datasets.module.js';
import { ErrorFilter } from './errors/filter.js';
import { AuditModule } from './audit/audit.module.js';
import { EventsModule } from './events/events.module.js';
import { EvaluationsModule } from './evaluations/evaluations.module.js';
import { GenerationModule } from './generation/generation.module.js';
import type { HealthSource } from '#primitives/health/health.js';
import { HEALTH_SOURCES } from './health/health.controller.js';
import { FilesModule } from './files/files.module.js';
import { FineTuningModule } from './fine-tuning/fine-tuning.module.js';
import { HealthModule } from './health/health.module.js';
import { ImprovementsModule } from './improvements/improvements.module.js';
import { InferencesModule } from './inferences/inferences.module.js';
import { RateLimiter } from './limits/rate-limiter.js';
import type { Logger } from '#logging/logger.js';
import { LiveMessages } from './live-messages.js';
import { LOGGER } from './logging/nest-logger.js';
import { LineageModule } from './lineage/lineage.module.js';
import { ModelsModule } from './models/models.module.js';
import { OidcModule } from './oidc/oidc.module.js';
import { ObjectsModule } from './objects/objects.module.js';
import type { Metrics } from '#primitives/metrics/metrics.js';
import { OperatorModule } from './operator/operator.module.js';
import type { Past } from './past.js';
import { ProjectsModule } from './projects/projects.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { ReviewModule } from './review/review.module.js';
import { TrainingJobsModule } from './training-jobs/training-jobs.module.js';
import { RequestValidationPipe } from './validation/pipe.js';
import { UseCasesModule } from '#use-cases/use-cases.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WorkspaceModule } from './workspace/workspace.module.js';

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
