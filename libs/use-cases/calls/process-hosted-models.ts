import type { OnApplicationShutdown } from '@nestjs/common';
import { hostedModels, readProvidersOf, type ReplaceableHostedModels } from '#calls/hosted/open.js';
import type {
  EmbeddingRequest,
  GenerateOptions,
  GenerationRequest,
  HostedModel,
  UpstreamOptions,
} from '#calls/hosted/port.js';
import type { Provider } from '#calls/hosted/providers.js';
import type { Settings } from '#settings/index.js';

/** The hosted models of this process, closed with it. */
export class ProcessHostedModels implements ReplaceableHostedModels, OnApplicationShutdown {
  private readonly models: ReplaceableHostedModels;

  constructor(settings: Settings) {
    this.models = hostedModels(readProvidersOf(settings));
  }

  get providers() {
    return this.models.providers;
  }

  replace(providers: ReadonlyMap<string, Provider>): void {
    this.models.replace(providers);
  }

  has(provider: string): boolean {
    return this.models.has(provider);
  }

  verifiesThoughts(model: HostedModel): boolean {
    return this.models.verifiesThoughts(model);
  }

  takesTokenIds(model: HostedModel): boolean {
    return this.models.takesTokenIds(model);
  }

  generate(model: HostedModel, request: GenerationRequest, options?: GenerateOptions) {
    return this.models.generate(model, request, options);
  }

  embed(model: HostedModel, request: EmbeddingRequest, options?: UpstreamOptions) {
    return this.models.embed(model, request, options);
  }

  countTokens(model: HostedModel, request: GenerationRequest, options?: UpstreamOptions) {
    return this.models.countTokens(model, request, options);
  }

  close(): Promise<void> {
    return this.models.close();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
