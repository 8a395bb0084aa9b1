import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireDiskRoom } from '#primitives/files/room.js';
import {
  folderNameOf,
  importedModels,
  MANIFEST,
  manifestText,
  PULLED,
  REPLACED,
  sha256Of,
  writeOrigin,
  type ImportedModel,
  type ModelOrigin,
} from './folders.js';
import { refuseParts } from './gguf-parts.js';
import { ImportError } from './import-error.js';
import { requireServed } from './gliner2-served.js';
import { SafetensorsError, safetensorsHeaderOf } from '../safetensors/header.js';
import { inspect, type Inspected } from './inspect.js';

interface ImportOptions {
  /** Catalog id that it gets: `org/name`. */
  readonly id: string;
  readonly licence: string | null;
  /** Whether an engine here loads GGUF files in parts; if not, they are refused. */
  readonly takesParts?: boolean;
  /** Whether the torch engine is here; if not, GLiNER2 models that only it runs are refused. */
  readonly hasTorch?: boolean;
}

export interface ImportProgress {
  /** In bytes, of all files. */
  readonly done: number;
  readonly total: number;
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}\/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$/;
const OWN = 'anneal/';

/**
 * Copies a decoder or an encoder from a folder in the hub's format. An earlier one of this id is replaced, and models that were trained on it are
 * then served only if its files are the same.
 * @param own the folder that models are kept in
 * @returns the model, and the names of files that were not needed
 * @throws ImportError for an id or a folder that is refused, or where room is missing
 */
export async function* importModel(
  source: string,
  { id, licence, takesParts = true, hasTorch = true }: ImportOptions,
  own: string,
): AsyncGenerator<ImportProgress, ImportedModel & { readonly skipped: readonly string[] }> {
  requireId(id);
  const found = inspect(source);
  if (!takesParts) refuseParts(source, found.files);
  if (!hasTorch) requireServed(source, found.facts);
  const sizes = await Promise.all(found.files.map(async (name) => (await stat(join(source, name))).size));
  await makeOwn(own);
  await requireRoom(
    own,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  const copy = (from: string, to: string) => copyFile(from, to, constants.COPYFILE_FICLONE);
  return yield* takeModel(source, found, { id, licence, origin: null }, own, copy);
}

/**
 * Creates a model from the content of a folder, replacing an earlier one of its id.
 * @param place puts a file of the source into the model's folder
 * @throws ImportError for weights whose header lies
 */
export async function* takeModel(
  source: string,
  { files: names, skipped, facts }: Inspected,
  { id, licence, origin }: ImportOptions & { readonly origin: ModelOrigin | null },
  own: string,
  place: (from: string, to: string) => Promise<void>,
): ReturnType<typeof importModel> {
  requireSafetensors(source, names);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(source, name))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const folder = join(own, folderNameOf(id));
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  try {
    const files: Record<string, { bytes: number; sha256: string }> = {};
    let done = 0;
    for (const [index, name] of names.entries()) {
      yield { done, total };
      const copy = join(unfinished, name);
      await mkdir(dirname(copy), { recursive: true });
      await place(join(source, name), copy);
      files[name] = { bytes: (await stat(copy)).size, sha256: await sha256Of(copy) };
      done += sizes[index]!;
    }
    yield { done, total };
    await writeFile(join(unfinished, MANIFEST), manifestText({ ...facts, id, licence, files }));
    if (origin !== null) await writeOrigin(unfinished, origin);
    await putInPlace(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return { ...requireImported(id, own), skipped };
}

/** @throws ImportError if a file of weights says what is not so: no program that loads it has to notice that itself */
function requireSafetensors(folder: string, files: readonly string[]): void {
  for (const name of files.filter((each) => each.endsWith('.safetensors')))
    try {
      safetensorsHeaderOf(join(folder, name));
    } catch (error) {
      if (!(error instanceof SafetensorsError)) throw error;
      throw new ImportError(`${join(folder, name)} is no safetensors file: ${error.message}`);
    }
}

/** The data folder may be new, and the first start refuses a folder that others can read or that holds foreign files. */
export const makeOwn = (own: string): Promise<unknown> => mkdir(own, { recursive: true, mode: 0o700 });

/** @throws ImportError if the disk has less left */
export const requireRoom = (own: string, bytes: number): Promise<void> =>
  requireDiskRoom(
    own,
    bytes,
    (needed, left) => new ImportError(`The model needs ${needed} GB of disk, and ${own} has ${left} GB left`),
  );

/** The earlier model is kept beside until the new one is in its place: ended in between, the earlier one is still found. */
async function putInPlace(made: string, folder: string): Promise<void> {
  const replaced = `${folder}${REPLACED}`;
  if (existsSync(folder)) {
    await rm(replaced, { recursive: true, force: true });
    await rename(folder, replaced);
  }
  await rename(made, folder);
  await rm(replaced, { recursive: true, force: true });
}

function requireImported(id: string, own: string): ImportedModel {
  const imported = importedModels([own]).find(({ manifest }) => manifest.id === id);
  if (!imported) throw new ImportError(`${join(own, folderNameOf(id))} was changed while the model was imported`);
  return imported;
}

/** @throws ImportError */
export function requireId(id: string): void {
  if (!ID.test(id) || id.includes('--'))
    throw new ImportError(`--id must be like org/name: letters, digits, ., _ and single hyphens (got ${id})`);
  if (id.startsWith(OWN))
    throw new ImportError(`--id must not begin with ${OWN}, which is for the project's own models`);
}

/**
 * Deletes an imported model, and leftovers of an interrupted import or pull of it.
 * @returns whether there was any
 */
export async function removeModel(id: string, own: string): Promise<boolean> {
  requireId(id);
  const name = folderNameOf(id);
  const all = [name, `${name}${REPLACED}`, `${name}.unfinished`, `${name}${PULLED}`];
  const names = (await readdir(own).catch(() => [])).filter((each) => all.includes(each));
  await Promise.all(names.map((each) => rm(join(own, each), { recursive: true, force: true })));
  return names.length > 0;
}
