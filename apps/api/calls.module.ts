import { Module } from '@nestjs/common';
import { AccountBook } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { BillingGate } from '#application/billing/index.js';
import { BuiltInEmbedders } from '#calls/backends/runner/embedders.js';
import { EncoderCalls } from '#calls/backends/runner/encoders.js';
import { LiveRunners } from '#calls/backends/runner/live-runners.js';
import { RoutedCalls } from '#calls/backends/runner/routed-calls.js';
import { HostedDecoderCalls, HostedEmbeddingCalls } from '#calls/index.js';
import { ServedModels } from '#calls/models.js';
import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import { Catalog } from '#model-catalog/catalog.js';
import { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import { SecretKey } from '#secrets/index.js';
import { ApiHostedModels } from './hosted-models.js';

const PROVIDERS = [
  {
    provide: CallRecorder,
    inject: [Application, SecretKey],
    useFactory: ({ ports }: Application, secret: SecretKey) => new CallRecorder(ports, contentMac(secret)),
  },
  {
    provide: ServedModels,
    inject: [Application, Catalog, VisibleCatalog],
    useFactory: (application: Application, catalog: Catalog, visible: VisibleCatalog) =>
      new ServedModels(application, catalog, visible),
  },
  {
    provide: RoutedCalls,
    inject: [Application],
    useFactory: ({ ports: { bus } }: Application) => new RoutedCalls(bus, new LiveRunners(bus)),
  },
  {
    provide: EncoderCalls,
    inject: [Application, ServedModels, CallRecorder, RoutedCalls, BillingGate],
    useFactory: (
      application: Application,
      models: ServedModels,
      recorder: CallRecorder,
      runners: RoutedCalls,
      billing: BillingGate,
    ) => new EncoderCalls(application, models, recorder, runners, billing),
  },
  {
    provide: BuiltInEmbedders,
    inject: [CallRecorder, RoutedCalls, BillingGate],
    useFactory: (recorder: CallRecorder, runners: RoutedCalls, billing: BillingGate) =>
      new BuiltInEmbedders(recorder, runners, billing),
  },
  {
    provide: HostedDecoderCalls,
    inject: [VisibleCatalog, ApiHostedModels, CallRecorder, BillingGate, AccountBook],
    useFactory: (
      catalog: VisibleCatalog,
      hosted: ApiHostedModels,
      recorder: CallRecorder,
      billing: BillingGate,
      accounts: AccountBook,
    ) => new HostedDecoderCalls({ catalog, hosted, recorder, billing, accounts }),
  },
  {
    provide: HostedEmbeddingCalls,
    inject: [ApiHostedModels, CallRecorder, BillingGate, AccountBook],
    useFactory: (hosted: ApiHostedModels, recorder: CallRecorder, billing: BillingGate, accounts: AccountBook) =>
      new HostedEmbeddingCalls({ hosted, recorder, billing, accounts }),
  },
];

/** What runs and records model calls (`libs/calls`), for the dialects and for whatever else calls a model. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CallsModule {}
