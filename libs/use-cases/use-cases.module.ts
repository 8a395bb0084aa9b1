import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountBook } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { BillingGate } from '#application/billing/index.js';
import { Shadows } from '#calls/shadows.js';
import { Engines } from '#gpu-runner/contract/engines.js';
import { Catalog } from '#model-catalog/catalog.js';
import { openCatalog } from '#model-catalog/read.js';
import { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { AnswerBudget } from './calls/answer-budget.js';
import { CallContents } from './calls/call-contents.js';
import { CallTimes } from './calls/call-times.js';
import { CallsModule } from './calls/calls.module.js';
import { ProcessHostedModels } from './calls/process-hosted-models.js';
import { MakeFromFeedbackHandler } from './datasets/commands/from-feedback.js';
import { DatasetClaims } from './datasets/dataset-claims.js';
import { FeedbackMerging } from './datasets/feedback/merging.js';
import { Errands } from './errands.js';
import { DeleteEvaluationHandler } from './evaluations/commands/delete.js';
import { StartEvaluationHandler } from './evaluations/commands/start.js';
import { RateLimits } from './limits/rate-limits.js';
import { WorkQueues } from './limits/work-queues.js';
import { ModelResolver } from './models/model-resolver.js';
import { StartTrainingJobHandler } from './training-jobs/commands/start.js';
import { StopTrainingJobHandler } from './training-jobs/commands/stop.js';
import { EstimateTrainingHandler } from './training-jobs/queries/estimate.js';

/** Handlers of commands and queries. */
const HANDLERS = [
  DeleteEvaluationHandler,
  EstimateTrainingHandler,
  MakeFromFeedbackHandler,
  StartEvaluationHandler,
  StartTrainingJobHandler,
  StopTrainingJobHandler,
];

/** What the handlers need. */
const PARTS = [
  AnswerBudget,
  CallContents,
  CallTimes,
  DatasetClaims,
  Errands,
  FeedbackMerging,
  ModelResolver,
  RateLimits,
  WorkQueues,
];

export interface UseCaseParts {
  readonly application: Application;
  readonly settings: Settings;
  readonly secret: SecretKey;
  /** The engines whose models are on offer. */
  readonly engines: Engines;
  /** Count shadow calls, where given. */
  readonly metrics?: Metrics | null;
  /** The system whose accounts decide, where `application` ends at a point of the log. */
  readonly present?: Application | undefined;
}

/** The use cases: API and worker each have them, and give their commands through Nest's buses. */
@Module({})
export class UseCasesModule {
  static with({ application, present = application, settings, secret, engines, metrics }: UseCaseParts): DynamicModule {
    const shared = [
      { provide: Application, useValue: application },
      { provide: Settings, useValue: settings },
      { provide: SecretKey, useValue: secret },
      { provide: Engines, useValue: engines },
      { provide: Metrics, useValue: metrics ?? null },
      { provide: Shadows, useFactory: () => new Shadows(() => metrics?.shadowLeftOut(), application.background) },
      { provide: ProcessHostedModels, useFactory: () => new ProcessHostedModels(settings) },
      {
        provide: Catalog,
        useFactory: (hosted: ProcessHostedModels) => openCatalog(settings, { ...engines.models, providers: hosted }),
        inject: [ProcessHostedModels],
      },
      {
        provide: VisibleCatalog,
        useFactory: (catalog: Catalog, accounts: AccountBook) => new VisibleCatalog(catalog, accounts),
        inject: [Catalog, AccountBook],
      },
      { provide: AccountBook, useFactory: () => new AccountBook(present) },
      {
        provide: BillingGate,
        useFactory: (accounts: AccountBook) => new BillingGate(application, accounts),
        inject: [AccountBook],
      },
      ...PARTS,
    ];
    return {
      module: UseCasesModule,
      global: true,
      imports: [CqrsModule.forRoot(), CallsModule],
      providers: [...shared, ...HANDLERS],
      exports: [...shared, CallsModule, CqrsModule],
    };
  }
}
