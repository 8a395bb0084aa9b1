import type { Json } from '#domain/json.js';
import type { Settings } from '#settings/index.js';
import { engineFolders, InstallError, removeInstalls } from '#engine-install/index.js';
import {
  findLlama,
  installLlama,
  LLAMA,
  readLlamaLock,
  type LlamaInstall,
  type LlamaInstallOptions,
} from '#llama-install/index.js';
import {
  findTorch,
  installTorch,
  readLock,
  TORCH,
  type InstallOptions,
  type TorchInstall,
} from '#torch-install/index.js';
import { OperationError, type Operation, type Operations } from './operation.js';

const KNOWN = [TORCH, LLAMA];

/**
 * The engines of this machine that are installed apart. They are files beside the log: no running system is asked, and none notices
 * before its next start.
 */
export const engineOperations = (
  settings: Pick<Settings, 'dataDir' | 'enginesDir'>,
  options: Partial<Pick<InstallOptions, 'lock' | 'needBytes'>> = {},
  llama: Partial<Pick<LlamaInstallOptions, 'lock' | 'npm' | 'needBytes' | 'platform'>> = {},
): Operations => {
  const folders = engineFolders(settings);
  const lock = options.lock ?? readLock();
  const llamaLock = llama.lock ?? readLlamaLock();
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
    }),
    'engines.install': operation(async function* ({ name, python }, signal) {
      requireKnown(name as string);
      if (name === LLAMA) {
        const install = await installLlama({ ...llama, lock: llamaLock, folders, ...(signal && { signal }) });
        yield shown(LLAMA, install);
        return;
      }
      const install = installTorch({ ...options, lock, folders, python: python as string, signal });
      for (;;) {
        const { done, value } = await install.next();
        if (done) {
          yield shown(TORCH, value);
          return;
        }
        yield { progress: { ...value, unit: 'packages' } };
      }
    }),
    'engines.remove': operation(async function* ({ name }) {
      requireKnown(name as string);
      const [own] = folders;
      const removed = await removeInstalls(own, name as string);
      if (removed.length === 0)
        throw new OperationError(
          `${own} holds no engine ${name as string}; engines of ANNEAL_ENGINES_DIR are not removed`,
        );
      yield { name: name as string, removed: true };
    }),
  };
};

function requireKnown(name: string): void {
  if (!KNOWN.includes(name)) throw new OperationError(`${name} is no known engine; known are ${KNOWN.join(', ')}`);
}

const shown = (name: string, install: TorchInstall | LlamaInstall | null): Json => ({
  name,
  python: install && 'python' in install ? install.facts.python : null,
  versions: install?.facts.versions ?? null,
  bytes: install?.facts.bytes ?? null,
  folder: install?.folder ?? null,
});
