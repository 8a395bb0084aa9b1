import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { spawnRole } from '#apps/demo/system.js';
import { removeFolder } from '#test/support/remove-folder.js';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const COPIED = ['apps', 'console-modules', 'gpu-runner', 'libs', 'projections'];

/** The next release of this build. */
interface NextRelease {
  readonly spawnRole: typeof spawnRole;
  remove(): Promise<void>;
}

/**
 * A copy of this build in which the read model of projects has another version: its documents have one field more, by
 * which projects are listed, in the order of their names without regard to case.
 */
export async function nextRelease(): Promise<NextRelease> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-next-'));
  const dist = join(directory, 'dist');
  await mkdir(dist);
  for (const entry of await readdir(ROOT))
    if (entry !== 'dist') await symlink(join(ROOT, entry), join(directory, entry));
  const isNeeded = (path: string) => !/\.(map|spec\.js|suite\.js)$/.test(path);
  for (const part of COPIED)
    await cp(join(ROOT, 'dist', part), join(dist, part), { recursive: true, filter: isNeeded });
  const projects = join(dist, 'projections', 'projects');
  await change(join(projects, 'projection.js'), {
    'version: 1': 'version: 2',
    "'createdAt'": "'sortedBy'",
    'id: projectId,': 'id: projectId, sortedBy: project.name.toLowerCase(),',
  });
  await change(join(projects, 'queries.js'), { "'createdAt'": "'sortedBy'", "'descending'": "'ascending'" });
  const system = (await import(
    pathToFileURL(join(dist, 'apps', 'demo', 'system.js')).href
  )) as typeof import('#apps/demo/system.js');
  return { spawnRole: system.spawnRole, remove: () => removeFolder(directory) };
}

/** @throws Error if the file does not have one of these texts */
async function change(file: string, replacements: Readonly<Record<string, string>>): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  await writeFile(file, text);
}
