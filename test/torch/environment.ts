import { InstallError } from '#models/installs/index.js';
import { findTorch, installTorch, readLock } from '#models/installs/torch/index.js';
import { cached, serversCache } from '#test/servers/cache.js';

/**
 * Runs a suite with what it needs, which is made once on each machine. Skipped, with the reason in its name, where that fails with an
 * `InstallError`.
 */
export async function describeWith<Needed>(
  name: string,
  need: () => Promise<Needed>,
  suite: (needed: Needed) => void,
): Promise<void> {
  try {
    const needed = await need();
    describe(name, () => suite(needed));
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    const [reason = ''] = error.message.split('\n');
    describe.skip(`${name}: skipped: ${reason}`, () => {
      it('with torch', () => undefined);
    });
  }
}

/** The torch engine, installed once on each machine for each lock. */
export interface TorchForTests {
  /** The value of ANNEAL_ENGINES_DIR. */
  readonly enginesDir: string;
  /** Path of the environment's Python. */
  readonly python: string;
}

/** @throws InstallError */
export async function torchForTests(): Promise<TorchForTests> {
  const enginesDir = await cached(serversCache(), `torch-${readLock().key}`, async (folder) => {
    // Progress is for people.
    const install = installTorch({ folders: [folder], python: 'python3' });
    while (!(await install.next()).done);
  });
  const install = findTorch([enginesDir]);
  if (install === null) throw new Error(`${enginesDir} holds no torch engine`);
  return { enginesDir, python: install.python };
}
