import { readdirSync } from 'node:fs';
import { chatTemplateOf, toolFamily, type ToolFamily } from '#models/imported/index.js';
import type { VllmInstall } from '#models/installs/vllm/index.js';
import type { BaseModelFacts } from '#gpu-runner/contract/engines.js';
import type { RegisteredEngine, ServerAddress } from '../registered-engine.js';
import { ServersError, type ServerSettings } from './server-settings.js';

interface ModuleSettings {
  /** Of one base model. */
  readonly servers: readonly ServerSettings[];
  readonly hasChatTemplate: boolean;
  /** For servers that the runner starts. */
  readonly toolParser: string | null;
  readonly python: string | null;
}

const PARAMETER = 'settings';

/** vLLM's readers of tool calls (https://docs.vllm.ai/en/latest/features/tool_calling/). */
const PARSERS: Readonly<Record<ToolFamily, string>> = {
  ...{ hermes: 'hermes', llama: 'llama3_json', mistral: 'mistral', 'qwen-coder': 'qwen3_coder' },
  ...{ gemma: 'functiongemma', gemma4: 'gemma4', harmony: 'openai' },
};

/**
 * The engines, with their models served by these servers if there are some for them. Training and evaluation stay with
 * the engine.
 * @param install starts the servers without an address
 * @throws ServersError when a server is for a base model that no engine here trains, or cannot be started
 */
export function servedBy(
  servers: readonly ServerSettings[],
  engines: readonly RegisteredEngine[],
  install: VllmInstall | null = null,
): readonly RegisteredEngine[] {
  for (const server of servers) {
    const model = engines.flatMap(({ baseModels }) => baseModels).find(({ id }) => id === server.base);
    requireServable(server, model, install);
  }
  return engines.map((engine) => {
    const own = engine.baseModels.flatMap((model) => {
      const forIt = servers.filter(({ base }) => base === model.id);
      return forIt.length === 0 ? [] : [[model.id, addressOf(forIt, model, install)] as const];
    });
    return own.length === 0 ? engine : { ...engine, servers: new Map([...(engine.servers ?? []), ...own]) };
  });
}

function requireServable(
  { name, base, memoryShare }: ServerSettings,
  model: BaseModelFacts | undefined,
  install: VllmInstall | null,
): void {
  if (!model?.generation)
    throw new ServersError(
      `server "${name}": base must be a decoder that was imported here, for an installed engine (got ${base})`,
    );
  if (memoryShare === null) return;
  if (model.isExpanded)
    throw new ServersError(`server "${name}": vLLM reads ${base} as safetensors, and it was imported as GGUF`);
  if (install === null)
    throw new ServersError(
      `server "${name}": vLLM is not installed: run \`npx anneal engine install vllm\`, or give the server's base_url`,
    );
}

/** The settings come with the module's address; the key does not. */
function addressOf(
  servers: readonly ServerSettings[],
  { directory, generation }: BaseModelFacts,
  install: VllmInstall | null,
): ServerAddress {
  const { hasChatTemplate } = generation!;
  const isStarted = servers.some(({ memoryShare }) => memoryShare !== null);
  const family = isStarted ? toolFamily(chatTemplateOf(directory, readdirSync(directory))) : null;
  const toolParser = family && PARSERS[family];
  const settings: ModuleSettings = { servers, hasChatTemplate, toolParser, python: isStarted ? install!.python : null };
  const module = new URL('./index.js', import.meta.url);
  module.searchParams.set(PARAMETER, JSON.stringify(settings));
  // A server at an address may change its version while it is away.
  const names = servers.map(({ name }) => name).join(', ');
  const version = isStarted && servers.length === 1 ? install!.facts.versions['vllm']! : `server ${names}`;
  return { engine: { name: 'vllm', version }, module: module.href, isRemote: true };
}

export function moduleSettings(url: string): ModuleSettings {
  const given = new URL(url).searchParams.get(PARAMETER);
  if (given === null) throw new Error('the address of the vllm engine names no server');
  return JSON.parse(given) as ModuleSettings;
}
