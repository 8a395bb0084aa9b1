import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { sha256OfFile } from '#primitives/files/sha256.js';
import { ImportError } from './import-error.js';
import type { ModelFacts } from './inspect.js';

export const MANIFEST = 'manifest.json';
/** Ends the name of a folder whose model an import was about to replace. */
export const REPLACED = '.replaced';
/** Ends the name of the folder into which a model is fetched. */
export const PULLED = '.pulled';
/** The origin on the hub of a pulled model: for people, not part of its identity. */
const ORIGIN = 'origin.json';
const CHUNK_BYTES = 1024 * 1024;
const KINDS: readonly ModelFacts['kind'][] = ['anneal-decoder', 'anneal-encoder'];

/** `manifest.json` of an imported model's folder, which identifies it. */
export type ModelManifest = ModelFacts & {
  /** Catalog id: `org/name`. */
  readonly id: string;
  /** As stated by its owner, for people. */
  readonly licence: string | null;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
};

export interface ImportedModel {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

/** The same facts give the same bytes, whose hash identifies the model. */
export const manifestText = ({ kind, id, licence, ...facts }: ModelManifest): string =>
  `${JSON.stringify({ kind, id, licence, ...facts }, null, 2)}\n`;

export interface ModelOrigin {
  /** `org/name` on the hub. */
  readonly repository: string;
  /** The commit. */
  readonly revision: string;
}

export const writeOrigin = (folder: string, { repository, revision }: ModelOrigin): Promise<void> =>
  writeFile(join(folder, ORIGIN), `${JSON.stringify({ repository, revision }, null, 2)}\n`);

/** null: the model was imported from a folder. */
export function originOf({ folder }: Pick<ImportedModel, 'folder'>): ModelOrigin | null {
  try {
    return JSON.parse(readFileSync(join(folder, ORIGIN), 'utf8')) as ModelOrigin;
  } catch {
    return null;
  }
}

/** Folder of a model: `org--name`. */
export const folderNameOf = (id: string): string => id.replace('/', '--');

export const bytesOf = ({ files }: ModelManifest): number =>
  Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * The imported models of folders, by id; of one that is in several folders, the first. A folder with a missing file, by
 * sizes, has none; a model that an interrupted import was about to replace is found in its temporary place. The hashes
 * are checked by `verify`, before a model is used.
 */
export function importedModels(folders: readonly string[]): readonly ImportedModel[] {
  const found = new Map<string, ImportedModel>();
  for (const parent of folders)
    for (const name of namesOf(parent)) {
      const folder = join(parent, name);
      const manifest = manifestOf(folder);
      const isNamed = manifest !== null && folderNameOf(manifest.id) === withoutSuffix(name);
      if (isNamed && !found.has(manifest.id) && isWhole(folder, manifest)) found.set(manifest.id, { folder, manifest });
    }
  return [...found.values()].toSorted((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1));
}

function namesOf(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.includes('--'));
    return names.toSorted((a, b) => Number(a.endsWith(REPLACED)) - Number(b.endsWith(REPLACED)));
  } catch {
    return [];
  }
}

const withoutSuffix = (name: string): string => (name.endsWith(REPLACED) ? name.slice(0, -REPLACED.length) : name);

function manifestOf(folder: string): ModelManifest | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as ModelManifest;
    return KINDS.includes(manifest.kind) ? manifest : null;
  } catch {
    return null;
  }
}

const isWhole = (folder: string, { files }: ModelManifest): boolean =>
  Object.entries(files).every(
    ([name, { bytes }]) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === bytes,
  );

/**
 * Checks every byte of an imported model: half a second for a gigabyte.
 * @throws ImportError naming the file that differs, or that was not imported: an additional template or configuration
 * would be read too
 */
export async function verify(folder: string): Promise<ModelManifest> {
  const { manifest } = importedModel(folder);
  for (const [name, { sha256 }] of Object.entries(manifest.files))
    if ((await sha256Of(join(folder, name))) !== sha256) throw differs(join(folder, name));
  const own = [MANIFEST, ORIGIN];
  const added = filesIn(folder).find((name) => !own.includes(name) && !Object.hasOwn(manifest.files, name));
  if (added !== undefined)
    throw new ImportError(
      `${join(folder, added)} was not imported with the model: remove it, or import the model again`,
    );
  return manifest;
}

/**
 * A file of an imported model, its bytes checked.
 * @throws ImportError if it is missing, or differs from the imported one
 */
export function readImported({ folder, manifest }: ImportedModel, name: string): Buffer {
  const known = manifest.files[name];
  if (!known) throw new ImportError(`${manifest.id} has no ${name}: import the model again`);
  let content: Buffer;
  try {
    content = readFileSync(join(folder, name));
  } catch (error) {
    throw unreadable(join(folder, name), error);
  }
  if (createHash('sha256').update(content).digest('hex') !== known.sha256) throw differs(join(folder, name));
  return content;
}

/**
 * Checks the bytes of a file of an imported model, of any size, at once: half a second for a gigabyte.
 * @throws ImportError if it is missing, or differs from the imported one
 */
export function requireUnchanged({ folder, manifest }: ImportedModel, name: string): void {
  const known = manifest.files[name];
  if (!known) throw new ImportError(`${manifest.id} has no ${name}: import the model again`);
  const path = join(folder, name);
  const hash = createHash('sha256');
  try {
    const file = openSync(path, 'r');
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let read = -1; read !== 0; hash.update(chunk.subarray(0, read))) read = readSync(file, chunk);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  if (hash.digest('hex') !== known.sha256) throw differs(path);
}

/** The model of a folder. @throws ImportError */
export function importedModel(folder: string): ImportedModel {
  const manifest = manifestOf(folder);
  if (!manifest) throw new ImportError(`${join(folder, MANIFEST)} is missing or damaged: import the model again`);
  return { folder, manifest };
}

/** Paths of everything but folders, within a folder. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** @throws ImportError if it cannot be read */
export const sha256Of = (path: string): Promise<string> =>
  sha256OfFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });

const unreadable = (path: string, error: unknown): ImportError =>
  new ImportError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);

const differs = (path: string): ImportError =>
  new ImportError(`${path} differs from the imported one: import the model again`);
