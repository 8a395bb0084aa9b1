import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fetchModelFile, REPO_ID, REVISION, type Hub, type HubModelRequest } from '../hub/index.js';
import { chooseFiles, type ChosenFile } from './choose.js';
import { folderNameOf, importedModels, originOf, PULLED, sha256Of, type ImportedModel } from './folders.js';
import { refuseParts } from './gguf-parts.js';
import { ImportError } from './import-error.js';
import { requireServed } from './gliner2-served.js';
import { makeOwn, requireId, requireRoom, takeModel, type ImportProgress } from './import.js';
import { factsOf, inspect } from './inspect.js';

interface PullOptions {
  /** `org/name` on the hub; `org/name@revision` for another branch, tag or commit than the default branch. */
  readonly from: string;
  /** Catalog id that it gets; null: the repository's name. */
  readonly id: string | null;
  /** null: as the model's card has it. */
  readonly licence: string | null;
  /**
   * Path of the GGUF file to import, or of its first part, or of the graph of a GLiNER model, if the repository has several; null:
   * its safetensors, its `model.onnx`, or its only file of weights.
   */
  readonly file: string | null;
  /** Of an account of the hub, for gated and private models. */
  readonly token: string | null;
  /** Whether an engine here loads GGUF files in parts; if not, they are refused. */
  readonly takesParts?: boolean;
  /** Whether the torch engine is here; if not, GLiNER2 models that only it runs are refused. */
  readonly hasTorch?: boolean;
}

/**
 * Fetches a decoder or an encoder from the hub, unless the model of this id is from that commit. Resumes an interrupted
 * download of the same commit. Each file is verified by the hub's own hash, and deleted if it differs.
 * @param folders of models; the first is written to
 * @returns the model, and the paths of files that were not fetched
 * @throws ImportError for a refused name or repository, differing bytes, or missing room
 * @throws NotFoundError, ConflictError, UnavailableError as `Hub.readModel`; fetched files stay
 */
export async function* pullModel(
  { from, id: wanted, licence, file, token, takesParts = true, hasTorch = true }: PullOptions,
  folders: readonly [string, ...string[]],
  hub: Pick<Hub, 'findModel' | 'readModel'>,
  signal?: AbortSignal,
): AsyncGenerator<ImportProgress, ImportedModel & { readonly skipped: readonly string[] }> {
  const { repoId, revision } = placeOf(from);
  const id = wanted ?? repoId;
  requireId(id);
  const found = await hub.findModel({ repoId, revision, token }, signal);
  const { files, skipped } = chooseFiles(repoId, found.files, file);
  if (!takesParts)
    refuseParts(
      repoId,
      files.map(({ path }) => path),
    );
  const here = importedModels(folders).find((model) => model.manifest.id === id);
  if (here && isOf(here, repoId, found.commit, files)) return { ...here, skipped };

  const [own] = folders;
  await makeOwn(own);
  const folder = await pulledFolder(own, id, found.commit, files);
  const judge = () => {
    const facts = factsOf(
      folder,
      files.map(({ name }) => name),
    );
    if (!hasTorch) requireServed(folder, facts);
  };
  yield* fetchAll(hub, { repoId, revision: found.commit, token }, { files, folder, judge }, signal);
  const card = typeof found.licence === 'string' ? found.licence.slice(0, MAX_LICENCE) : null;
  const options = { id, licence: licence ?? card, origin: { repository: repoId, revision: found.commit } };
  const inspected = await judged(repoId, folder, () => inspect(folder));
  const taken = await resultOf(takeModel(folder, inspected, options, own, rename));
  await rm(dirname(folder), { recursive: true, force: true });
  return { ...taken, skipped };
}

const MAX_LICENCE = 100;

function placeOf(from: string): { readonly repoId: string; readonly revision: string | null } {
  const [, repoId = '', revision = null] = /^([^@]*)(?:@(.*))?$/s.exec(from) ?? [];
  if (!REPO_ID.test(repoId) || (revision !== null && !REVISION.test(revision)))
    throw new ImportError(`The model must be like org/name or org/name@revision (got ${from})`);
  return { repoId, revision };
}

function isOf(model: ImportedModel, repository: string, commit: string, files: readonly ChosenFile[]): boolean {
  const origin = originOf(model);
  return (
    origin?.repository === repository &&
    origin.revision === commit &&
    files.every(({ name }) => Object.hasOwn(model.manifest.files, name))
  );
}

/** Folder of a commit's files, with nothing in it but those that are wanted, and no other commit's beside it. */
async function pulledFolder(own: string, id: string, commit: string, files: readonly ChosenFile[]): Promise<string> {
  const parent = join(own, `${folderNameOf(id)}${PULLED}`);
  const folder = join(parent, commit);
  for (const { name } of files) await mkdir(dirname(join(folder, name)), { recursive: true });
  const keep = new Set(files.flatMap(({ name }) => [name, dirname(name)]));
  const others = [
    ...(await readdir(parent)).filter((name) => name !== commit).map((name) => join(parent, name)),
    ...(await readdir(folder, { recursive: true })).filter((name) => !keep.has(name)).map((name) => join(folder, name)),
  ];
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })));
  return folder;
}

interface Fetched {
  readonly files: readonly ChosenFile[];
  readonly folder: string;
  /** Called before the weights are fetched. @throws ImportError */
  readonly judge: () => void;
}

async function* fetchAll(
  hub: Pick<Hub, 'readModel'>,
  source: HubModelRequest,
  { files, folder, judge }: Fetched,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportProgress> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  await requireRoom(folder, total - (await bytesIn(folder, files)));
  const names = files.map(({ name }) => name);
  const firstWeights = names.findIndex((name) => /\.(safetensors|onnx)$/.test(name));
  let before = 0;
  for (const [index, file] of files.entries()) {
    const path = join(folder, file.name);
    // A configuration that requires code, or a model of another kind, is refused before the weights are fetched.
    if (index === firstWeights) await judged(source.repoId, folder, judge);
    for await (const done of fetchModelFile(hub, source, file, path, signal)) yield { done: before + done, total };
    await requireHash(source.repoId, file, path);
    before += file.size;
  }
}

/**
 * Deletes the fetched files of a refused model.
 * @throws ImportError that names the repository instead of the folder
 */
async function judged<T>(repository: string, folder: string, judge: () => T): Promise<T> {
  try {
    return judge();
  } catch (error) {
    await rm(dirname(folder), { recursive: true, force: true });
    throw error instanceof ImportError ? new ImportError(error.message.replaceAll(folder, repository)) : error;
  }
}

async function requireHash(repository: string, { path: upstream, oid, size }: ChosenFile, path: string): Promise<void> {
  const hash = oid.length === SHA256_DIGITS ? await sha256Of(path) : await gitHashOf(path, size);
  if (hash === oid) return;
  await rm(path);
  throw new ImportError(
    `${upstream} of ${repository} came with the hash ${hash}, and the hub says ${oid}: it was deleted; pull it again`,
  );
}

const SHA256_DIGITS = 64;

/** Git's SHA-1 of a blob. @see https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
async function gitHashOf(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${bytes}\0`);
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function bytesIn(folder: string, files: readonly ChosenFile[]): Promise<number> {
  const sizes = files.map(({ name }) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function resultOf<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}
