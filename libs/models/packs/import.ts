import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256OfFile } from '#primitives/files/sha256.js';
import { findPack } from './folders.js';
import { KNOWN_PACKS, PACK_FILES, type KnownPack, type PackFile } from './known-packs.js';
import { MANIFEST, manifestOf } from './manifest.js';
import { PackError } from './pack-error.js';

/**
 * Copies a pack from a folder that holds its `model.onnx` and `tokenizer.json`, such as that of another machine.
 * @param own the folder that packs are kept in
 * @returns the pack, identified by its hashes
 * @throws PackError when a file is missing, unknown, or differs from the manifest
 */
export async function importPack(source: string, own: string, known = KNOWN_PACKS): Promise<KnownPack> {
  const model = await hashOf(source, 'model.onnx');
  const pack = known.find(({ files }) => files['model.onnx'].sha256 === model);
  if (!pack)
    throw new PackError(
      `${join(source, 'model.onnx')} is of no known pack (sha256 ${model}); known are ${namesOf(known)}`,
    );
  await requireFile(pack, source, 'tokenizer.json');
  await requireSameManifest(pack, source);
  const unfinished = await unfinishedFolder(pack, own);
  for (const file of PACK_FILES) await copyFile(join(source, file), join(unfinished, file));
  await finish(pack, own);
  return pack;
}

/**
 * Deletes a pack and leftovers of an interrupted download or import of it.
 * @returns whether there was any
 * @throws PackError when there is no known pack of this name
 */
export async function removePack(name: string, own: string, known = KNOWN_PACKS): Promise<boolean> {
  const pack = requireKnown(name, known);
  const folders = [join(own, pack.name), replacedPath(pack, own), unfinishedPath(pack, own)];
  const found = await Promise.all(folders.map((folder) => stat(folder).catch(() => null)));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  return found.some((each) => each !== null);
}

/** @throws PackError naming the known ones */
export function requireKnown(name: string, known: readonly KnownPack[]): KnownPack {
  const pack = known.find((each) => each.name === name);
  if (pack) return pack;
  throw new PackError(`${name} is no known pack; known are ${namesOf(known)}`);
}

const namesOf = (packs: readonly KnownPack[]): string => packs.map(({ name }) => name).join(', ');

/** Folder of a pack while it is copied or fetched. An interrupted download resumes from its content. */
export async function unfinishedFolder(pack: KnownPack, own: string): Promise<string> {
  const folder = unfinishedPath(pack, own);
  // The data folder may be new, and the first start refuses a folder that others can read or that holds foreign files.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

const unfinishedPath = ({ name }: KnownPack, own: string): string => join(own, `${name}.unfinished`);
/** Folder of the earlier pack until the new one has its name. */
const replacedPath = ({ name }: KnownPack, own: string): string => join(own, `${name}.replaced`);

/**
 * Checks every file of the unfinished folder, and gives it its name.
 * @throws PackError when one differs; nothing is kept then
 */
export async function finish(pack: KnownPack, own: string): Promise<void> {
  const unfinished = unfinishedPath(pack, own);
  try {
    for (const file of PACK_FILES) await requireFile(pack, unfinished, file);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  await writeFile(join(unfinished, MANIFEST), manifestOf(pack));
  const folder = join(own, pack.name);
  const replaced = replacedPath(pack, own);
  // A crash may have left one, and a folder is not renamed to one that holds files.
  await rm(replaced, { recursive: true, force: true });
  if (findPack(pack, [own]) === null) await rm(folder, { recursive: true, force: true });
  else await rename(folder, replaced);
  await rename(unfinished, folder);
  await rm(replaced, { recursive: true, force: true });
}

async function requireFile({ name, files }: KnownPack, folder: string, file: PackFile): Promise<void> {
  const sha256 = await hashOf(folder, file);
  if (sha256 !== files[file].sha256)
    throw new PackError(
      `${join(folder, file)} is not the ${file} of ${name}: its sha256 is ${sha256}, not ${files[file].sha256}`,
    );
}

async function requireSameManifest(pack: KnownPack, source: string): Promise<void> {
  const path = join(source, MANIFEST);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text !== null && text !== manifestOf(pack))
    throw new PackError(`${path} does not describe ${pack.name}, whose model.onnx is beside it; remove the manifest`);
}

const hashOf = (folder: string, file: PackFile): Promise<string> =>
  sha256OfFile(join(folder, file)).catch((error: NodeJS.ErrnoException) => {
    throw new PackError(`${join(folder, file)} cannot be read (${error.code ?? 'unknown'})`);
  });
