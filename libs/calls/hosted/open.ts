import { SettingsError, type Settings } from '#settings/index.js';
import { ChainedGeneration, firstAnswer } from './chain.js';
import { ConnectedProvider } from './connected-provider.js';
import { HostedModelError, type HostedModel, type HostedModels } from './port.js';
import { PROVIDER_STYLES } from './provider-styles.js';
import { ProvidersError, readProviders, type Provider } from './providers.js';

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
  const connected = new Map([...providers].map(([name, provider]) => [name, new ConnectedProvider(provider)]));
  const of = (name: string) => {
    const provider = connected.get(name);
    if (provider) return provider;
    throw new HostedModelError('unavailable', "this model's provider is not configured here", { provider: name });
  };
  const providersOf = ({ name, fallbacks = [] }: HostedModel) =>
    [name, ...fallbacks.map((each) => each.name)].flatMap((each) => providers.get(each) ?? []);
  return {
    has: (name) => connected.has(name),
    verifiesThoughts: (model) => providersOf(model).some(({ style }) => PROVIDER_STYLES[style].verifiesThoughts),
    takesTokenIds: (model) => providersOf(model).every(({ tokenIds }) => tokenIds === 'forward'),
    generate: (model, request, { stream = true, signal, workspace, ...told } = {}) =>
      new ChainedGeneration(
        model,
        (each) => of(each.name).generation(each.model, request, { signal, workspace, stream }),
        told,
      ),
    embed: (model, request, { signal, workspace } = {}) =>
      firstAnswer(model, (each) => of(each.name).embed(each.model, request, { signal, workspace })),
    countTokens: async ({ name, model }, request, { signal, workspace } = {}) =>
      of(name).countTokens(model, request, { signal, workspace }),
    async close() {
      await Promise.all([...connected.values()].map((provider) => provider.close()));
    },
  };
}
