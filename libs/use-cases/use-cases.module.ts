import { ACCOUNTS } from './accounts/providers.js';
import { AUDIT } from './audit/providers.js';
import { BATCHES } from './batches/providers.js';
import { BILLING } from './billing/providers.js';
import { CATALOG } from './catalog/providers.js';
import { DATASETS } from './datasets/providers.js';
import { DISTILLATION } from './distillation/providers.js';
import { EVALUATIONS } from './evaluations/providers.js';
import { EVENTS } from './events/providers.js';
import { FILES } from './files/providers.js';
import { FINE_TUNING } from './fine-tuning/providers.js';
import { GENERATION } from './generation/providers.js';
import { IMPROVEMENTS } from './improvements/providers.js';
import { INCIDENTS } from './incidents/providers.js';
import { INFERENCES } from './inferences/providers.js';
import { LINEAGE } from './lineage/providers.js';
import { MODELS } from './models/providers.js';
import { recordCatalog } from './operator/settings-record.js';
import { OPERATOR } from './operator/providers.js';
import { PROJECTS } from './projects/providers.js';
import { PROPOSALS } from './proposals/providers.js';
import { RETENTION } from './retention/providers.js';
import { REPORTS } from './reports/providers.js';
import { REVIEW } from './review/providers.js';
import { TRAINING_JOBS } from './training-jobs/providers.js';
import { WEBHOOKS } from './webhooks/providers.js';
import { WORKSPACE } from './workspace/providers.js';
import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountBook } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { BillingGate, KeyBudgets } from '#application/billing/index.js';
import type { Provider } from '#calls/hosted/providers.js';
import { Shadows } from '#calls/shadows.js';
import { Engines } from '#gpu-runner/contract/engines.js';
import { Catalog } from '#models/catalog/catalog.js';
import { openCatalog } from '#models/catalog/read.js';
import { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { AnswerBudget } from './calls/answer-budget.js';
import { CallContents } from './calls/call-contents.js';
import { CallTimes } from './calls/call-times.js';
import { CallsModule } from './calls/calls.module.js';
import { ModelFiles } from './calls/model-files.js';
import { ProcessHostedModels } from './calls/process-hosted-models.js';
import { DatasetClaims } from './datasets/dataset-claims.js';
import { FeedbackMerging } from './datasets/feedback/merging.js';
import { RecordedCalls } from './distillation/recorded-calls.js';
import { Errands } from './errands.js';
import { KeyGate } from './limits/key-gate.js';
import { SecondPerson } from './proposals/second-person.js';
import { RateLimits } from './limits/rate-limits.js';
import { UseCases } from './use-cases.js';
import { WorkQueues } from './limits/work-queues.js';
import { ModelResolver } from './models/model-resolver.js';

/** The handlers of each subject's commands and queries, and what they need. */
const SUBJECTS = [
  ...ACCOUNTS,
  ...AUDIT,
  ...BATCHES,
  ...BILLING,
  ...CATALOG,
  ...DATASETS,
  ...DISTILLATION,
  ...EVALUATIONS,
  ...EVENTS,
  ...FILES,
  ...FINE_TUNING,
  ...GENERATION,
  ...IMPROVEMENTS,
  ...INCIDENTS,
  ...INFERENCES,
  ...LINEAGE,
  ...MODELS,
  ...OPERATOR,
  ...PROJECTS,
  ...PROPOSALS,
  ...RETENTION,
  ...REPORTS,
  ...REVIEW,
  ...TRAINING_JOBS,
  ...WEBHOOKS,
  ...WORKSPACE,
];

/** What handlers of several subjects need. */
const PARTS = [
  AnswerBudget,
  CallContents,
  CallTimes,
  DatasetClaims,
  Errands,
  FeedbackMerging,
  KeyGate,
  ModelResolver,
  RateLimits,
  RecordedCalls,
  SecondPerson,
  UseCases,
  WorkQueues,
];

export interface UseCaseParts {
  readonly application: Application;
  readonly settings: Settings;
  readonly secret: SecretKey;
  /** The engines whose models are on offer. */
  readonly engines: Engines;
  /** Time commands and queries, and count shadow calls that are left out, where given. */
  readonly metrics?: Metrics | null;
  /** The system whose accounts decide, where `application` ends at a point of the log. */
  readonly present?: Application | undefined;
}

/** The use cases: API and worker each have them, and give their commands through Nest's buses. */
@Module({})
export class UseCasesModule {
  static with({ application, present = application, settings, secret, engines, metrics }: UseCaseParts): DynamicModule {
    const catalogOf = (providers: { has(name: string): boolean }) =>
      openCatalog(settings, { ...engines.models, providers });
    // A past state of the log is not written.
    const recordIn = (isPresent: boolean) => (providers: ReadonlyMap<string, Provider>) =>
      isPresent ? recordCatalog({ application, secret }, settings, providers) : Promise.resolve();
    const shared = [
      { provide: Application, useValue: application },
      { provide: Settings, useValue: settings },
      { provide: SecretKey, useValue: secret },
      { provide: Engines, useValue: engines },
      { provide: Metrics, useValue: metrics ?? null },
      { provide: Shadows, useFactory: () => new Shadows(() => metrics?.shadowLeftOut(), application.background) },
      { provide: ProcessHostedModels, useFactory: () => new ProcessHostedModels(settings) },
      { provide: Catalog, useFactory: catalogOf, inject: [ProcessHostedModels] },
      {
        provide: ModelFiles,
        useFactory: (hosted: ProcessHostedModels, catalog: Catalog) =>
          new ModelFiles(
            settings,
            { hosted, catalog, openCatalog: catalogOf, record: recordIn(present === application) },
            application.background,
          ),
        inject: [ProcessHostedModels, Catalog],
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
      { provide: KeyBudgets, useFactory: () => new KeyBudgets(application) },
      ...PARTS,
      ...SUBJECTS,
    ];
    return {
      module: UseCasesModule,
      global: true,
      imports: [CqrsModule.forRoot(), CallsModule],
      providers: shared,
      exports: [...shared, CallsModule, CqrsModule],
    };
  }
}
