import type { OnApplicationShutdown } from '@nestjs/common';
import { openHostedModels } from '#calls/hosted/open.js';
import type {
  EmbeddingRequest,
  GenerateOptions,
  GenerationRequest,
  HostedModel,
  HostedModels,
  UpstreamOptions,
} from '#calls/hosted/port.js';
import type { Settings } from '#settings/index.js';

/** The hosted models of this process, closed with it. */
export class ProcessHostedModels implements HostedModels, OnApplicationShutdown {
  private readonly models: HostedModels;

  constructor(settings: Settings) {
    this.models = openHostedModels(settings);
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
