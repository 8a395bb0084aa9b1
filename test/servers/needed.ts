import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerKind } from './describe.js';
import { INSTALLATION, type Programs } from './start-all.js';

const INSTALLED = Object.keys(INSTALLATION) as ServerKind[];
const DIST = join(import.meta.dirname, '../..');

/**
 * The servers that the chosen suites use; all of them if no suite is chosen by its path.
 * @param patterns Jest's, for paths
 * @param onServers specs of the API that run once more on an installation's servers, as paths below `dist`
 */
export function neededBy(patterns: readonly string[], onServers: readonly string[], all: Programs): Partial<Programs> {
  const isChosen = (file: string) => patterns.some((pattern) => new RegExp(pattern, 'i').test(join('dist', file)));
  const kinds = new Set<ServerKind>();
  for (const file of globSync('**/*.servers.spec.js', { cwd: DIST }).filter(isChosen)) {
    const source = readFileSync(join(DIST, file), 'utf8');
    const named = namedIn(source);
    // A suite that names none starts what it needs from the list of all.
    if (named.length === 0) return all;
    for (const kind of [...named, ...(source.includes('describeDistributed(') ? INSTALLED : [])]) kinds.add(kind);
  }
  if (onServers.some(isChosen)) for (const kind of INSTALLED) kinds.add(kind);
  if (kinds.size === 0) return all;
  return Object.fromEntries(Object.entries(all).filter(([kind]) => kinds.has(kind as ServerKind)));
}

const namedIn = (source: string): readonly ServerKind[] =>
  [...source.matchAll(/describeWith(?:One)?Server\(["'](\w+)["']/g)].map(([, kind]) => kind as ServerKind);
