import type { JsonObject } from '#domain/json.js';
import type { Settings } from '#settings/index.js';
import { engineFolders, InstallError, removeInstalls } from '#models/installs/index.js';
import {
  findLlama,
  installLlama,
  LLAMA,
  readLlamaLock,
  type LlamaInstall,
  type LlamaInstallOptions,
} from '#models/installs/llama/index.js';
import {
  findTorch,
  installTorch,
  readLock,
  TORCH,
  type Build,
  type InstallOptions,
  type TorchInstall,
} from '#models/installs/torch/index.js';
import {
  findVllm,
  installVllm,
  readVllmLock,
  VLLM,
  type VllmInstall,
  type VllmInstallOptions,
} from '#models/installs/vllm/index.js';
import { OperationError, type Operation, type Operations } from './operation.js';

const KNOWN = [TORCH, LLAMA, VLLM];

/**
 * The engines of this machine that are installed apart. They are files beside the log: no running system is asked, and none notices
 * before its next start.
 */
export const engineOperations = (
  settings: Pick<Settings, 'dataDir' | 'enginesDir'>,
  options: Partial<Pick<InstallOptions, 'lock' | 'needBytes' | 'signs'>> = {},
  llama: Partial<Pick<LlamaInstallOptions, 'lock' | 'npm' | 'needBytes' | 'platform'>> = {},
  vllm: Partial<Pick<VllmInstallOptions, 'lock' | 'needBytes' | 'platform'>> = {},
): Operations => {
  const folders = engineFolders(settings);
  const lock = options.lock ?? readLock();
  const llamaLock = llama.lock ?? readLlamaLock();
  const vllmLock = vllm.lock ?? readVllmLock();
  const operation = (run: Operation): Operation =>
    async function* (args, signal) {
      try {
        yield* run(args, signal);
      } catch (error) {
        throw error instanceof InstallError ? new OperationError(error.message) : error;
      }
    };
  return {
    'engines.list': operation(async function* () {
      yield await Promise.resolve(shown(TORCH, findTorch(folders, lock)));
      yield await Promise.resolve(shown(LLAMA, findLlama(folders, llamaLock)));
      yield await Promise.resolve(shown(VLLM, findVllm(folders, vllmLock)));
    }),
    'engines.install': operation(async function* ({ name, python, build = null }, signal) {
      requireKnown(name as string);
      if (name !== TORCH && build !== null)
        throw new OperationError(`--cuda and --cpu are for torch; ${name as string} has one build: leave them out`);
      if (name === VLLM) {
        const install = installVllm({
          ...vllm,
          lock: vllmLock,
          folders,
          python: python as string,
          ...(signal && { signal }),
        });
        for (;;) {
          const { done, value } = await install.next();
          if (done) {
            yield shown(VLLM, value);
            return;
          }
          yield { progress: { ...value, unit: 'packages' } };
        }
      }
      if (name === LLAMA) {
        const install = await installLlama({ ...llama, lock: llamaLock, folders, ...(signal && { signal }) });
        yield shown(LLAMA, install);
        return;
      }
      const asked = { python: python as string, build: build as Build | null };
      const install = installTorch({ ...options, ...asked, lock, folders, signal });
      for (;;) {
        const { done, value } = await install.next();
        if (done) {
          yield { ...shown(TORCH, value), because: value.because };
          return;
        }
        const { build: chosen, ...progress } = value;
        yield { progress: { ...progress, unit: `packages of the ${NAMES[chosen]} build` } };
      }
    }),
    'engines.remove': operation(async function* ({ name }) {
      requireKnown(name as string);
      const [own] = folders;
      const removed = await removeInstalls(own, name as string);
      if (removed.length === 0)
        throw new OperationError(
          `${own} holds no engine ${name as string}; engines in ANNEAL_ENGINES_DIR cannot be removed`,
        );
      yield { name: name as string, removed: true };
    }),
  };
};

function requireKnown(name: string): void {
  if (!KNOWN.includes(name))
    throw new OperationError(`there is no engine ${name}; the engines are ${KNOWN.join(', ')}`);
}

const NAMES: Readonly<Record<Build, string>> = { cpu: 'CPU', cuda: 'CUDA' };

const shown = (name: string, install: TorchInstall | LlamaInstall | VllmInstall | null): JsonObject => ({
  name,
  build: install && 'build' in install ? install.build : null,
  python: install && 'python' in install.facts ? install.facts.python : null,
  versions: install?.facts.versions ?? null,
  bytes: install?.facts.bytes ?? null,
  folder: install?.folder ?? null,
});
