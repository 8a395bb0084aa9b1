import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AccountBook } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { HealthSource } from '#primitives/health/health.js';
import type { Logger } from '#primitives/logging/logger.js';
import type { Metrics } from '#primitives/metrics/metrics.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';
import { ModelFiles } from '#use-cases/calls/model-files.js';
import { UseCasesModule } from '#use-cases/use-cases.module.js';
import { DialectsModule } from './dialects/dialects.module.js';
import { Authenticator } from './edge/auth/authenticator.js';
import { RefusedNetworks } from './edge/auth/refused-networks.js';
import { ErrorFilter } from './edge/errors/filter.js';
import { RateLimiter } from './edge/limits/rate-limiter.js';
import { InProcessRequests } from './edge/in-process.js';
import { LiveMessages } from './edge/live-messages.js';
import { LOGGER } from './edge/logging/nest-logger.js';
import { RequestValidationPipe } from './edge/validation/pipe.js';
import type { PastSystem } from './past.js';
import { KeysController } from './routes/accounts/keys.controller.js';
import { PagesController } from './routes/accounts/pages.controller.js';
import { SessionController } from './routes/accounts/session.controller.js';
import { AuditController } from './routes/audit/audit.controller.js';
import { ReportController } from './routes/audit/report.controller.js';
import { BatchesController } from './routes/batches/batches.controller.js';
import { BillingController } from './routes/billing/billing.controller.js';
import { CatalogController } from './routes/catalog/catalog.controller.js';
import { DeletedDatasetsController } from './routes/datasets/deletion/deleted.controller.js';
import { DatasetContentsController } from './routes/datasets/contents.controller.js';
import { DatasetsController } from './routes/datasets/datasets.controller.js';
import { HubController } from './routes/datasets/hub/hub.controller.js';
import { DistillableController } from './routes/distillable/distillable.controller.js';
import { EvaluationsController } from './routes/evaluations/evaluations.controller.js';
import { EventsController } from './routes/events/events.controller.js';
import { FilesController } from './routes/files/files.controller.js';
import { FineTuningController } from './routes/fine-tuning/fine-tuning.controller.js';
import { GenerationController } from './routes/generation/generation.controller.js';
import { HEALTH_SOURCES } from './routes/health/health.controller.js';
import { HealthModule } from './routes/health/health.module.js';
import { DistillationController } from './routes/distillation/distillation.controller.js';
import { ImprovementsController } from './routes/improvements/improvements.controller.js';
import { IncidentsController } from './routes/incidents/incidents.controller.js';
import { InferencesController } from './routes/inferences/inferences.controller.js';
import { LineageController } from './routes/lineage/lineage.controller.js';
import { McpController } from './routes/mcp/mcp.controller.js';
import { ModelsController } from './routes/models/models.controller.js';
import { ObjectsController } from './routes/objects/objects.controller.js';
import { OidcModule } from './routes/oidc/oidc.module.js';
import { OperatorController } from './routes/operator/operator.controller.js';
import { ProjectsController } from './routes/projects/projects.controller.js';
import { ProposalsController } from './routes/proposals/proposals.controller.js';
import { RetentionController } from './routes/retention/retention.controller.js';
import { ReviewController } from './routes/review/review.controller.js';
import { TrainingJobsController } from './routes/training-jobs/training-jobs.controller.js';
import { WebhooksController } from './routes/webhooks/webhooks.controller.js';
import { WorkspaceController } from './routes/workspace/workspace.controller.js';

/** The routes of each resource; dialects and health have modules of their own. */
const CONTROLLERS = [
  KeysController,
  SessionController,
  PagesController,
  BatchesController,
  BillingController,
  CatalogController,
  HubController,
  DatasetsController,
  DatasetContentsController,
  DeletedDatasetsController,
  DistillableController,
  EvaluationsController,
  AuditController,
  ReportController,
  EventsController,
  FilesController,
  FineTuningController,
  GenerationController,
  DistillationController,
  ImprovementsController,
  IncidentsController,
  InferencesController,
  LineageController,
  McpController,
  ModelsController,
  ObjectsController,
  OperatorController,
  ProjectsController,
  ProposalsController,
  RetentionController,
  ReviewController,
  TrainingJobsController,
  WebhooksController,
  WorkspaceController,
];

export interface ApiParts {
  readonly application: Application;
  readonly settings: Settings;
  readonly secret: SecretKey;
  /** The engines whose models the API offers. */
  readonly engines: Engines;
  readonly logger: Logger;
  readonly healthSources: readonly HealthSource[];
  /** Count requests, use cases and shadow calls, where given. */
  readonly metrics?: Metrics | null;
  /** Point of the log where `application` ends; absent for the present system. */
  readonly past?: PastSystem;
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
      {
        provide: HEALTH_SOURCES,
        useFactory: ({ health }: ModelFiles) => [...healthSources, health],
        inject: [ModelFiles],
      },
      {
        provide: Authenticator,
        useFactory: (accounts: AccountBook) => new Authenticator(present ?? application, secret, accounts),
        inject: [AccountBook],
      },
      InProcessRequests,
      LiveMessages,
      RateLimiter,
      RefusedNetworks,
    ];
    return {
      module: ApiModule,
      global: true,
      imports: [
        UseCasesModule.with({ application, settings, secret, engines, metrics: metrics ?? null, present }),
        DialectsModule,
        HealthModule,
        ...(settings.oidcIssuer === null ? [] : [OidcModule]),
      ],
      controllers: CONTROLLERS,
      providers: [
        ...shared,
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
      exports: shared,
    };
  }
}
