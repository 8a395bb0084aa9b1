import {
  importPack,
  listPacks,
  packFolders,
  PackError,
  pullPack,
  removePack,
  type PackState,
} from '#model-packs/index.js';
import {
  bytesOf,
  ImportError,
  importedModels,
  importModel,
  removeModel,
  type ImportedModel,
} from '#imported-models/index.js';
import { DomainError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { Hub } from '#hub/index.js';
import { openEgress } from '#primitives/egress/index.js';
import type { Settings } from '#settings/index.js';
import { OperationError, type Operation, type Operations } from './operation.js';

/**
 * The encoder packs and imported models of this machine. They are files beside the log: no running system is asked, and none
 * notices before its next start.
 */
export const modelOperations = (settings: Pick<Settings, 'dataDir' | 'modelsDir' | 'hubUrl'>): Operations => {
  const folders = packFolders(settings);
  const [own] = folders;
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
    'models.pull': operation(async function* ({ name }, signal) {
      const egress = openEgress({ trusted: [settings.hubUrl] });
      try {
        const pull = pullPack(name as string, folders, new Hub(settings.hubUrl, egress), signal);
        for (;;) {
          const { done, value } = await pull.next();
          if (done) {
            yield shown(value);
            return;
          }
          yield { progress: { done: megabytes(value.done), total: megabytes(value.total), unit: 'MB' } };
        }
      } finally {
        await egress.close();
      }
    }),
    'models.import': operation(async function* ({ folder, id = null, licence = null }) {
      if (id !== null) {
        const options = { id: id as string, licence: licence as string | null };
        const copy = importModel(folder as string, options, own);
        for (;;) {
          const { done, value } = await copy.next();
          if (done) {
            yield { ...shownModel(value), skipped: value.skipped };
            return;
          }
          yield { progress: { done: megabytes(value.done), total: megabytes(value.total), unit: 'MB' } };
        }
      }
      const pack = await importPack(folder as string, own);
      yield shown(listPacks([own]).find((state) => state.pack === pack)!);
    }),
    'models.remove': operation(async function* ({ name }) {
      const [what, remove] = (name as string).includes('/') ? ['model', removeModel] : ['pack', removePack];
      if (!(await remove(name as string, own)))
        throw new OperationError(
          `${own} holds no ${what} ${name as string}; ${what}s of ANNEAL_MODELS_DIR are not removed`,
        );
      yield { name: name as string, removed: true };
    }),
  };
};

function shown({ pack, folder }: PackState): Json {
  const { name, licence, files, repository, revision } = pack;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return { name, licence, bytes, repository, revision, folder };
}

function shownModel({ folder, manifest }: ImportedModel): JsonObject {
  const { id, licence, format, contextTokens, kind } = manifest;
  const facts = {
    ...{ kind: kind === 'anneal-decoder' ? 'decoder' : 'encoder', format, context_window: contextTokens },
    ...(manifest.kind === 'anneal-decoder' && { instruct: manifest.hasChatTemplate }),
  };
  return { name: id, licence, bytes: bytesOf(manifest), repository: null, revision: null, folder, ...facts };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;
