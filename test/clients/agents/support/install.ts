import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '#models/installs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { run } from '#test/servers/tools.js';
import type { Agent } from './agent.js';

/** Packages that agents need are taken as of this date, so that an installation is the same on each machine. */
const PUBLISHED_BEFORE = '2026-11-23';

/**
 * Installs an agent, once on each machine for each version, in a folder of its own: its packages are none of this project.
 * @returns the folder that holds `node_modules` @throws InstallError when the registry cannot be reached
 */
export function installed({ package: name, setUp }: Pick<Agent, 'package' | 'setUp'>): Promise<string> {
  const facts = JSON.stringify([name, setUp, PUBLISHED_BEFORE, process.platform, process.arch]);
  const key = `agent-${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`;
  return cached(serversCache(), key, async (folder) => {
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `--before=${PUBLISHED_BEFORE}`];
    try {
      await run('npm', ['install', '--save-exact', ...options, name], { directory: folder });
      if (setUp !== undefined) await run(process.execPath, [join(folder, 'node_modules', setUp)]);
    } catch (error) {
      throw new InstallError(`${name} cannot be installed here`, { cause: error });
    }
  });
}
