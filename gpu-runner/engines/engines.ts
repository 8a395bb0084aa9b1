import { Engines } from '#gpu-runner/contract/engines.js';
import { findVllm } from '#models/installs/vllm/index.js';
import { builtin } from './builtin/registration.js';
import { glinerEngine } from './gliner/registration.js';
import { gliner2Engine } from './gliner2/registration.js';
import { packsEngine } from './packs/registration.js';
import { readServers, ServersError } from './vllm/server-settings.js';
import { servedBy } from './vllm/registration.js';
import type { RegisteredEngine } from './registered-engine.js';
import { withLlama } from './llama/registration.js';
import { torchEngine, type TorchOptions } from './torch/registration.js';

/** The engines of this project that need nothing installed: a line for each. */
export const ENGINES = new Engines<RegisteredEngine>([builtin]);

export { ServersError };

/**
 * The engines above, the encoder packs, GLiNER and GLiNER2 models now present in these folders, and the torch and llama engines if they are
 * installed.
 * @param serversFile a file of servers that generate with its models; null: none
 * @param torch how that engine runs
 * @throws ServersError when the file cannot be used
 */
export const enginesWith = (
  modelFolders: readonly string[],
  engineFolders: readonly string[],
  serversFile: string | null = null,
  torch: TorchOptions = {},
): Engines<RegisteredEngine> => {
  const own = [
    ...ENGINES.all,
    ...packsEngine(modelFolders),
    ...glinerEngine(modelFolders),
    ...torchEngine(engineFolders, modelFolders, torch),
  ];
  const all = [...own, ...gliner2Engine(modelFolders, own)];
  const engines = withLlama(all, engineFolders, modelFolders);
  return new Engines(
    serversFile === null ? engines : servedBy(readServers(serversFile), engines, findVllm(engineFolders)),
  );
};
