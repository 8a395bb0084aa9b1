import { SettingsError, type Settings } from '#settings/index.js';
import { embedOpenAi } from './openai/embeddings.js';
import { generateOpenAi } from './openai/index.js';
import {
  HostedModelError,
  type GenerateOptions,
  type GenerationRequest,
  type HostedModel,
  type HostedModels,
} from './port.js';
import { ProvidersError, readProviders, type Provider } from './providers.js';
import { Upstream } from './upstream.js';

/**
 * The hosted models of the providers file that the settings name, if any. Connections are opened when they are first needed.
 * @throws SettingsError in one line: the setting, the provider and the field
 */
export function openHostedModels({ providers: path }: Pick<Settings, 'providers'>): HostedModels {
  if (path === null) return hostedModels(new Map());
  try {
    return hostedModels(readProviders(path));
  } catch (error) {
    if (!(error instanceof ProvidersError)) throw error;
    throw new SettingsError('ANNEAL_PROVIDERS', `names ${path}, which cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}

export function hostedModels(providers: ReadonlyMap<string, Provider>): HostedModels {
  const upstreams = new Map([...providers].map(([name, provider]) => [name, new Upstream(provider)]));
  const of = (name: string) => {
    const provider = providers.get(name);
    if (!provider) throw new HostedModelError('unavailable', `no provider ${name} is configured here`);
    return { provider, upstream: upstreams.get(name)! };
  };
  return {
    has: (name) => providers.has(name),
    async *generate({ name, model }: HostedModel, request: GenerationRequest, options: GenerateOptions = {}) {
      const { signal, stream = true } = options;
      yield* generateOpenAi({ ...of(name), model, signal, stream }, request);
    },
    embed({ name, model }, request, { signal } = {}) {
      const { provider, upstream } = of(name);
      return embedOpenAi(provider, upstream, model, request, signal);
    },
    countTokens: () => Promise.resolve(null),
    async close() {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    },
  };
}
