import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError } from '#settings/index.js';

/** Permission bits of group and others. */
const ANYBODY_ELSE = 0o077;
/** Names that a data folder holds from its first start on, and other folders do not. */
const OURS = /^(?:(?:log|coordination|lock)\.db|secret\.key|gpu-runner-\d+|operator\.sock|(?:read|objects)$)/;

/**
 * Creates the data folder if there is none, and restricts it to its user: folders 0700, files 0600, also those that
 * a copy or a restored backup left open. Later files get the same modes, those of child processes too.
 * @throws SettingsError if it contains an open file of another user, or is open and contains foreign files
 * @returns a notice for the operator: the folder itself belongs to another user, like volumes of containers, and stays
 * open
 */
export async function keepPrivate(dataDir: string): Promise<string | null> {
  if (process.platform === 'win32') {
    await mkdir(dataDir, { recursive: true });
    return null;
  }
  process.umask(ANYBODY_ELSE);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const names = await readdir(dataDir);
  const { mode } = await lstat(join(dataDir, '.'));
  // The folder was probably named by mistake (a home folder, /tmp): leave its modes alone.
  if (isOpen(mode) && names.length > 0 && !names.some((name) => OURS.test(name)))
    throw new SettingsError(
      'ANNEAL_DATA_DIR',
      `is open to other users (mode ${octal(mode)}) and holds other files; choose a folder of its own`,
    );
  const isClosed = !isOpen(mode) || (await chmod(join(dataDir, '.'), 0o700).then(() => true, ignoreForeign));
  try {
    await closeWithin(dataDir, names);
  } catch (error) {
    ignoreForeign(error as NodeJS.ErrnoException);
    throw new SettingsError(
      'ANNEAL_DATA_DIR',
      'holds files that are open to other users and belong to another user; take them over (chown -R)',
      { cause: error },
    );
  }
  return isClosed
    ? null
    : `ANNEAL_DATA_DIR belongs to another user and is open (mode ${octal(mode)}): what is in it is private, its names are not`;
}

/** @param names the folder's entries */
async function closeWithin(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    const stat = await lstat(path).catch(ignoreGone);
    if (!stat || !isOpen(stat.mode) || stat.isSymbolicLink()) continue;
    // Only open folders are searched: files in a private one are out of reach, and there may be a million.
    const mode = stat.isDirectory() ? 0o700 : stat.mode & 0o700;
    await chmod(path, mode).catch(ignoreGone);
    if (stat.isDirectory()) await closeWithin(path, await readdir(path));
  }
}

const isOpen = (mode: number): boolean => (mode & ANYBODY_ELSE) !== 0;
const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** Ignores a file of another owner, who alone may change its mode. */
function ignoreForeign(error: NodeJS.ErrnoException): false {
  if (error.code === 'EPERM') return false;
  throw error;
}

/** Ignores a file that another, closing process has removed. */
function ignoreGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
