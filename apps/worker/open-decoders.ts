import { AccountBook } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import { BillingGate } from '#application/billing/index.js';
import { EngineDecoders } from '#calls/backends/runner/decoders.js';
import { LiveRunners } from '#calls/backends/runner/live-runners.js';
import { Runners } from '#calls/backends/runner/runners.js';
import { Decoders, HostedDecoders, Lifecycle } from '#calls/index.js';
import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import { ThoughtsBook } from '#calls/signed-thoughts.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import { openHostedModels } from '#hosted-models/open.js';
import { openCatalog } from '#model-catalog/read.js';
import { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';

interface OpenDecoders {
  readonly decoders: Decoders;
  /** Returns its credits. Call it once no job or evaluation runs. */
  close(): Promise<void>;
}

/** The decoders of a worker's jobs and evaluations. Their calls are admitted, recorded and billed like those of the API. */
export function openDecoders(
  application: Application,
  settings: Settings,
  secret: SecretKey,
  engines: Engines,
): OpenDecoders {
  const hosted = openHostedModels(settings);
  const accounts = new AccountBook(application);
  const billing = new BillingGate(application, accounts);
  const catalog = new VisibleCatalog(openCatalog(settings, { ...engines.models, providers: hosted }), accounts);
  const recorder = new CallRecorder(application.ports, contentMac(secret), { inlineBytes: settings.callInlineBytes });
  const { bus } = application.ports;
  const runners = new LiveRunners(bus);
  const decoders = new Decoders({
    lifecycle: new Lifecycle(recorder, billing),
    catalog,
    hosted: new HostedDecoders({ hosted, accounts, thoughts: new ThoughtsBook(application.ports.readStore) }),
    engines: new EngineDecoders(new Runners(bus, runners), engines),
  });
  return {
    decoders,
    async close() {
      await runners.close();
      await hosted.close();
      await billing.close();
    },
  };
}
