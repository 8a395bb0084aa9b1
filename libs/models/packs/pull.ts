import { join } from 'node:path';
import { fetchModelFile, type Hub } from '../hub/index.js';
import { findPack } from './folders.js';
import { finish, requireKnown, unfinishedFolder } from './import.js';
import { KNOWN_PACKS, PACK_FILES, type KnownPack } from './known-packs.js';

interface PullProgress {
  /** In bytes, of all files. */
  readonly done: number;
  readonly total: number;
}

/**
 * Fetches a pack from the hub, unless one of the folders has it. Resumes an interrupted download. The last step
 * verifies the hashes: differing files are deleted.
 * @param folders of packs; the first is written to
 * @returns the pack's folder
 * @throws PackError for an unknown name, or differing bytes
 * @throws NotFoundError, ConflictError, UnavailableError as `Hub.readModel`; fetched files stay
 */
export async function* pullPack(
  name: string,
  folders: readonly [string, ...string[]],
  hub: Pick<Hub, 'readModel'>,
  signal?: AbortSignal,
  known = KNOWN_PACKS,
): AsyncGenerator<PullProgress, { readonly pack: KnownPack; readonly folder: string; readonly wasHere: boolean }> {
  const pack = requireKnown(name, known);
  const here = findPack(pack, folders);
  if (here !== null) return { pack, folder: here, wasHere: true };
  const [own] = folders;
  const unfinished = await unfinishedFolder(pack, own);
  const total = PACK_FILES.reduce((sum, file) => sum + pack.files[file].bytes, 0);
  let before = 0;
  const source = { repoId: pack.repository, revision: pack.revision, token: null };
  for (const file of PACK_FILES) {
    const { bytes: size, path } = pack.files[file];
    for await (const done of fetchModelFile(hub, source, { path, size }, join(unfinished, file), signal))
      yield { done: before + done, total };
    before += size;
  }
  await finish(pack, own);
  return { pack, folder: join(own, pack.name), wasHere: false };
}
