import { generateOpenAi } from './openai/index.js';
import {
  HostedModelError,
  type GenerateOptions,
  type GenerationRequest,
  type HostedModel,
  type HostedModels,
} from './port.js';
import { readProviders, type Provider } from './providers.js';
import { Upstream } from './upstream.js';

/**
 * The hosted models of a providers file. Connections are opened when they are first needed.
 * @param path null: there are none
 * @throws ProvidersError
 */
export const openHostedModels = (path: string | null): HostedModels =>
  hostedModels(path === null ? new Map() : readProviders(path));

export function hostedModels(providers: ReadonlyMap<string, Provider>): HostedModels {
  const upstreams = new Map([...providers].map(([name, provider]) => [name, new Upstream(provider)]));
  return {
    has: (name) => providers.has(name),
    async *generate({ name, model }: HostedModel, request: GenerationRequest, { signal }: GenerateOptions = {}) {
      const provider = providers.get(name);
      if (!provider) throw new HostedModelError('unavailable', `no provider ${name} is configured here`);
      yield* generateOpenAi(provider, upstreams.get(name)!, model, request, signal);
    },
    async close() {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    },
  };
}
