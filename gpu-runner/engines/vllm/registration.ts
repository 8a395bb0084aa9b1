import type { RegisteredEngine, ServerAddress } from '../registered-engine.js';
import { ServersError, type ServerSettings } from './server-settings.js';

interface ModuleSettings {
  readonly settings: ServerSettings;
  readonly hasChatTemplate: boolean;
}

const PARAMETER = 'settings';

/**
 * The engines, with their models served by these servers if there is one for them. Training and evaluation stay with
 * the engine.
 * @throws ServersError when a server is for a base model that no engine here trains
 */
export function servedBy(
  servers: readonly ServerSettings[],
  engines: readonly RegisteredEngine[],
): readonly RegisteredEngine[] {
  const decoders = engines.flatMap(({ baseModels }) => baseModels.filter(({ generation }) => generation));
  const stray = servers.find(({ base }) => decoders.every(({ id }) => id !== base));
  if (stray)
    throw new ServersError(
      `server "${stray.name}": base must be a decoder that was imported here, for an installed engine (got ${stray.base})`,
    );
  return engines.map((engine) => {
    const own = servers.flatMap((settings) => {
      const model = engine.baseModels.find(({ id }) => id === settings.base);
      if (!model?.generation) return [];
      // Its version may change while it is away.
      const named = { name: 'vllm', version: `server ${settings.name}` };
      const server: ServerAddress = {
        ...{ engine: named, module: addressOf({ settings, ...model.generation }), isRemote: true },
      };
      return [[settings.base, server] as const];
    });
    return own.length === 0 ? engine : { ...engine, servers: new Map([...(engine.servers ?? []), ...own]) };
  });
}

/** The settings come with the module's address; the key does not. */
function addressOf({ settings, hasChatTemplate }: ModuleSettings): string {
  const module = new URL('./index.js', import.meta.url);
  module.searchParams.set(PARAMETER, JSON.stringify({ settings, hasChatTemplate }));
  return module.href;
}

export function moduleSettings(url: string): ModuleSettings {
  const given = new URL(url).searchParams.get(PARAMETER);
  if (given === null) throw new Error('the address of the vllm engine names no server');
  return JSON.parse(given) as ModuleSettings;
}
