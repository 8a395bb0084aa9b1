import { Module } from '@nestjs/common';
import { AccountBook } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { HostedDecoders } from '#calls/backends/hosted/decoders.js';
import { HostedEmbedders } from '#calls/backends/hosted/embedders.js';
import { EngineDecoders } from '#calls/backends/runner/decoders.js';
import { BuiltInEmbedders } from '#calls/backends/runner/embedders.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { LiveRunners } from '#calls/backends/runner/live-runners.js';
import { Runners } from '#calls/backends/runner/runners.js';
import { CascadedCalls } from '#calls/cascade/cascaded-calls.js';
import { Cascades } from '#calls/cascade/cascades.js';
import { Decoders } from '#calls/decoders.js';
import { Lifecycle } from '#calls/lifecycle.js';
import { Models } from '#calls/models.js';
import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import { Engines } from '#gpu-runner/contract/engines.js';
import { Catalog } from '#models/catalog/catalog.js';
import { VisibleCatalog } from '#models/catalog/visible-catalog.js';
import { dollars } from '#domain/inference/index.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { TrainingRows } from '#calls/training-rows.js';
import { Shadows } from '#calls/shadows.js';
import { ThoughtsBook } from '#calls/signed-thoughts.js';
import { KeyGate } from '../limits/key-gate.js';
import { ProcessHostedModels } from './process-hosted-models.js';

const PROVIDERS = [
  {
    provide: CallRecorder,
    inject: [Application, SecretKey, Settings, Metrics],
    useFactory: (
      { ports, background }: Application,
      secret: SecretKey,
      { callInlineBytes: inlineBytes }: Settings,
      metrics: Metrics | null,
    ) =>
      new CallRecorder(ports, contentMac(secret), {
        inlineBytes,
        background,
        onRecorded: ({ costPicodollars, inputTokens, outputTokens }) =>
          metrics?.recorded({ dollars: dollars(costPicodollars), inputTokens, outputTokens }),
      }),
  },
  {
    provide: Lifecycle,
    inject: [CallRecorder, KeyGate, Shadows],
    useFactory: (recorder: CallRecorder, gate: KeyGate, shadows: Shadows) => new Lifecycle(recorder, gate, shadows),
  },
  {
    provide: Models,
    inject: [Application, Catalog, VisibleCatalog, Engines],
    useFactory: (application: Application, catalog: Catalog, visible: VisibleCatalog, engines: Engines) =>
      new Models(application, catalog, visible, engines),
  },
  {
    provide: LiveRunners,
    inject: [Application],
    useFactory: ({ ports: { bus } }: Application) => new LiveRunners(bus),
  },
  {
    provide: Runners,
    inject: [Application, LiveRunners],
    useFactory: ({ ports: { bus } }: Application, live: LiveRunners) => new Runners(bus, live),
  },
  {
    provide: Encoders,
    inject: [Lifecycle, Runners, Models],
    useFactory: (lifecycle: Lifecycle, runners: Runners, models: Models) => new Encoders(lifecycle, runners, models),
  },
  {
    provide: Cascades,
    inject: [Application, Encoders],
    useFactory: (application: Application, encoders: Encoders) => new Cascades(application, encoders),
  },
  {
    provide: TrainingRows,
    inject: [Application],
    useFactory: (application: Application) => new TrainingRows(application),
  },
  {
    provide: BuiltInEmbedders,
    inject: [Lifecycle, Runners],
    useFactory: (lifecycle: Lifecycle, runners: Runners) => new BuiltInEmbedders(lifecycle, runners),
  },
  {
    provide: HostedDecoders,
    inject: [ProcessHostedModels, AccountBook, Application],
    useFactory: (hosted: ProcessHostedModels, accounts: AccountBook, { ports: { readStore } }: Application) =>
      new HostedDecoders({ hosted, accounts, thoughts: new ThoughtsBook(readStore) }),
  },
  {
    provide: EngineDecoders,
    inject: [Runners, Engines, Models],
    useFactory: (runners: Runners, engines: Engines, models: Models) => new EngineDecoders(runners, engines, models),
  },
  {
    provide: Decoders,
    inject: [Lifecycle, VisibleCatalog, HostedDecoders, EngineDecoders],
    useFactory: (lifecycle: Lifecycle, catalog: VisibleCatalog, hosted: HostedDecoders, engines: EngineDecoders) =>
      new Decoders({ lifecycle, catalog, hosted, engines }),
  },
  {
    provide: CascadedCalls,
    inject: [Models, Decoders, Cascades, Shadows],
    useFactory: (models: Models, decoders: Decoders, cascades: Cascades, shadows: Shadows) =>
      new CascadedCalls(models, decoders, cascades, shadows),
  },
  {
    provide: HostedEmbedders,
    inject: [Lifecycle, ProcessHostedModels, AccountBook],
    useFactory: (lifecycle: Lifecycle, hosted: ProcessHostedModels, accounts: AccountBook) =>
      new HostedEmbedders({ lifecycle, hosted, accounts }),
  },
];

/** Provides `libs/calls`, which runs and records model calls, to all modules that call models. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CallsModule {}
