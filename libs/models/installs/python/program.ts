import { InstallError, outputOf } from '../index.js';

/** The oldest Python that all packages of the locks run on. */
const MIN_PYTHON = [3, 11] as const;
const NEEDED = MIN_PYTHON.join('.');

/**
 * Version of a Python that an engine can be made with.
 * @param engine its name
 * @throws InstallError when it is missing, too old, or lacks `venv`
 */
export async function requirePython(python: string, engine: string, signal?: AbortSignal): Promise<string> {
  if (process.platform === 'win32')
    throw new InstallError(`The ${engine} engine runs on Linux and macOS, not on Windows`);
  const version = await versionOf(python, engine, signal);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needMajor, needMinor] = MIN_PYTHON;
  if (major < needMajor || (major === needMajor && minor < needMinor))
    throw new InstallError(
      `${python} is Python ${version}, and the ${engine} engine needs ${NEEDED} or later; name another by --python`,
    );
  await outputOf(python, ['-c', 'import venv, ensurepip'], signal && { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new InstallError(
      `${python} makes no virtual environments; install its venv module (Debian: python${major}.${minor}-venv)`,
      { cause: error },
    );
  });
  return version;
}

async function versionOf(python: string, engine: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const code = 'import platform; print(platform.python_version())';
    return (await outputOf(python, ['-c', code], signal && { signal })).trim();
  } catch (error) {
    signal?.throwIfAborted();
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code !== 'ENOENT') throw error;
    throw new InstallError(
      `${python} is not installed; the ${engine} engine needs Python ${NEEDED} or later, which --python may name`,
    );
  }
}
