import {
  importPack,
  listPacks,
  packFolders,
  PackError,
  pullPack,
  removePack,
  type PackState,
} from '#models/packs/index.js';
import {
  bytesOf,
  ImportError,
  importedModels,
  importModel,
  originOf,
  pullModel,
  removeModel,
  type ImportedModel,
} from '#models/imported/index.js';
import { engineFolders } from '#models/installs/index.js';
import { findLlama } from '#models/installs/llama/index.js';
import { findTorch } from '#models/installs/torch/index.js';
import { DomainError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { Hub } from '#models/hub/index.js';
import { openEgress } from '#primitives/egress/index.js';
import type { Settings } from '#settings/index.js';
import { OperationError, type Operation, type Operations } from './operation.js';

/**
 * The encoder packs and imported models of this machine. They are files beside the log: no running system is asked, and none
 * notices before its next start.
 */
export const modelOperations = (
  settings: Pick<Settings, 'dataDir' | 'modelsDir' | 'enginesDir' | 'hubUrl' | 'hubToken'>,
): Operations => {
  const folders = packFolders(settings);
  const [own] = folders;
  const has = () => ({
    takesParts: findLlama(engineFolders(settings)) !== null,
    hasTorch: findTorch(engineFolders(settings)) !== null,
  });
  const operation = (run: Operation): Operation =>
    async function* (args, signal) {
      try {
        yield* run(args, signal);
      } catch (error) {
        const isForOperator = [PackError, ImportError, DomainError].some((type) => error instanceof type);
        throw isForOperator ? new OperationError((error as Error).message) : error;
      }
    };
  return {
    'models.list': operation(async function* () {
      for (const state of listPacks(folders)) yield await Promise.resolve(shown(state));
      for (const model of importedModels(folders)) yield await Promise.resolve(shownModel(model));
    }),
    'models.pull': operation(async function* ({ name, ...given }, signal) {
      const from = name as string;
      const egress = openEgress({ trusted: [settings.hubUrl] });
      const hub = new Hub(settings.hubUrl, egress);
      try {
        if (isPack(from)) {
          const option = Object.entries(given).find(([, value]) => value !== null);
          if (option) throw new OperationError(`--${option[0]} is for models like org/name; ${from} is a pack`);
          yield shown(yield* withProgress(pullPack(from, folders, hub, signal)));
        } else {
          const { id = null, licence = null, file = null } = given as Partial<Record<string, string | null>>;
          const asked = { id, licence, file };
          const options = { from, ...asked, token: settings.hubToken, ...has() };
          const pull = pullModel(options, folders, hub, signal);
          yield shownWithSkipped(yield* withProgress(pull));
        }
      } finally {
        await egress.close();
      }
    }),
    'models.import': operation(async function* ({ folder, id = null, licence = null }) {
      if (id !== null) {
        const options = { id: id as string, licence: licence as string | null, ...has() };
        yield shownWithSkipped(yield* withProgress(importModel(folder as string, options, own)));
        return;
      }
      const pack = await importPack(folder as string, own);
      yield shown(listPacks([own]).find((state) => state.pack === pack)!);
    }),
    'models.remove': operation(async function* ({ name }) {
      const [what, remove] = isPack(name as string) ? ['pack', removePack] : ['model', removeModel];
      if (!(await remove(name as string, own)))
        throw new OperationError(
          `${own} holds no ${what} ${name as string}; ${what}s in ANNEAL_MODELS_DIR cannot be removed`,
        );
      yield { name: name as string, removed: true };
    }),
  };
};

const isPack = (name: string): boolean => !name.includes('/');

async function* withProgress<T>(
  steps: AsyncGenerator<{ readonly done: number; readonly total: number }, T>,
): AsyncGenerator<JsonObject, T> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
    yield { progress: { done: megabytes(value.done), total: megabytes(value.total), unit: 'MB' } };
  }
}

function shown({ pack, folder }: PackState): Json {
  const { name, licence, files, repository, revision } = pack;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return { name, licence, bytes, repository, revision, folder };
}

const shownWithSkipped = (model: ImportedModel & { readonly skipped: readonly string[] }): JsonObject => ({
  ...shownModel(model),
  skipped: model.skipped,
});

function shownModel({ folder, manifest }: ImportedModel): JsonObject {
  const { repository, revision } = originOf({ folder }) ?? { repository: null, revision: null };
  const { id, licence, format, contextTokens, kind } = manifest;
  const facts = {
    ...{ kind: kind === 'anneal-decoder' ? 'decoder' : 'encoder', format, context_window: contextTokens },
    ...(manifest.kind === 'anneal-decoder' && { instruct: manifest.hasChatTemplate }),
  };
  return { name: id, licence, bytes: bytesOf(manifest), repository, revision, folder, ...facts };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
