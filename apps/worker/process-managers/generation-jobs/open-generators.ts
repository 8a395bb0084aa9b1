import { AccountBook } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import { BillingGate } from '#application/billing/index.js';
import { HostedDecoders, Lifecycle } from '#calls/index.js';
import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import { openHostedModels } from '#hosted-models/open.js';
import { openCatalog } from '#model-catalog/read.js';
import { VisibleCatalog } from '#model-catalog/visible-catalog.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';
import { builtInGenerator } from '#synthetic-data/built-in/index.js';
import { decoderGenerator } from '#synthetic-data/decoder/index.js';
import { Generators } from '#synthetic-data/generators.js';

interface OpenGenerators {
  readonly generators: Generators;
  /** Returns its credits. Call it once no job runs. */
  close(): Promise<void>;
}

/** The generators of a worker. Their calls of decoders are admitted, recorded and billed like those of the API. */
export function openGenerators(
  application: Application,
  settings: Settings,
  secret: SecretKey,
  engines: Engines,
): OpenGenerators {
  const hosted = openHostedModels(settings);
  const accounts = new AccountBook(application);
  const billing = new BillingGate(application, accounts);
  const catalog = new VisibleCatalog(openCatalog(settings, { ...engines.models, providers: hosted }), accounts);
  const recorder = new CallRecorder(application.ports, contentMac(secret));
  const decoders = new HostedDecoders({ lifecycle: new Lifecycle(recorder, billing), hosted, accounts, catalog });
  return {
    generators: new Generators(builtInGenerator, (modelId) => decoderGenerator(decoders, modelId)),
    async close() {
      await hosted.close();
      await billing.close();
    },
  };
}
