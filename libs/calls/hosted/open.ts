import { isDeepStrictEqual } from 'node:util';
import { SettingsError, type Settings } from '#settings/index.js';
import { ChainedGeneration, firstAnswer } from './chain.js';
import { ConnectedProvider } from './connected-provider.js';
import { HostedModelError, type HostedModel, type HostedModels } from './port.js';
import { PROVIDER_STYLES } from './provider-styles.js';
import { ProvidersError, readProviders, type Provider } from './providers.js';

/** The hosted models of this process's providers, which may change. */
export interface ReplaceableHostedModels extends HostedModels {
  readonly providers: ReadonlyMap<string, Provider>;
  /** Asks other providers from now on; calls that run go on. One that is the same keeps its connections and circuits. */
  replace(providers: ReadonlyMap<string, Provider>): void;
}

/**
 * The providers of the file that the settings name, if any.
 * @throws SettingsError in one line: the setting, the provider and the field
 */
export function readProvidersOf({ providers: path }: Pick<Settings, 'providers'>): ReadonlyMap<string, Provider> {
  if (path === null) return new Map();
  try {
    return readProviders(path);
  } catch (error) {
    if (!(error instanceof ProvidersError)) throw error;
    throw new SettingsError('ANNEAL_PROVIDERS', `names ${path}, which cannot be used: ${error.message}`, {
      cause: error,
    });
  }
}

/** Connections are opened when they are first needed. */
export function hostedModels(given: ReadonlyMap<string, Provider>): ReplaceableHostedModels {
  let providers = given;
  let connected = new Map([...providers].map(([name, provider]) => [name, new ConnectedProvider(provider)]));
  /** Those that were replaced, until the next change after their last call. */
  const replaced = new Set<ConnectedProvider>();
  const of = (name: string) => {
    const provider = connected.get(name);
    if (provider) return provider;
    throw new HostedModelError('unavailable', "this model's provider is not configured here", { provider: name });
  };
  const providersOf = ({ name, fallbacks = [] }: HostedModel) =>
    [name, ...fallbacks.map((each) => each.name)].flatMap((each) => providers.get(each) ?? []);
  return {
    get providers() {
      return providers;
    },
    replace(others) {
      for (const provider of replaced) if (provider.isIdle && replaced.delete(provider)) void provider.close();
      const knownOf = (name: string, provider: Provider) =>
        isDeepStrictEqual(providers.get(name), provider) ? connected.get(name) : undefined;
      const next = new Map(
        [...others].map(([name, provider]) => [name, knownOf(name, provider) ?? new ConnectedProvider(provider)]),
      );
      const kept = new Set(next.values());
      for (const provider of connected.values()) if (!kept.has(provider)) replaced.add(provider);
      connected = next;
      providers = others;
    },
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
      await Promise.all([...connected.values(), ...replaced].map((provider) => provider.close()));
    },
  };
}
