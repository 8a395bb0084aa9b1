import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Where routes name their pages. */
const ROUTES = ['pages.ts', 'routes.tsx'].map((file) => new URL(file, import.meta.url));
/** A route's path, and the module that its page is imported from. */
const ROUTE = /'(\/[^']*)',[^]*?import\('\.(\/.+?)\.js'\)/g;

/**
 * Writes `preloads.json`: by a route's path, `/training/$id`, the scripts of its page in the order in which they are needed. The server names
 * them beside the page (`apps/api/edge/console`), so that a browser requests all at once, not those of a route after the first.
 */
export const preloads = (): Plugin => ({
  name: 'preloads',
  apply: 'build',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const first = chunks.find(({ isEntry }) => isEntry);
    /** A script and those that it imports, behind those that are found. */
    const withImports = (fileName: string, found: ReadonlySet<string> = new Set()): ReadonlySet<string> =>
      found.has(fileName)
        ? found
        : (chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? []).reduce(
            (all, each) => withImports(each, all),
            new Set([...found, fileName]) as ReadonlySet<string>,
          );
    const scripts = ROUTES.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(ROUTE)]).map(
      ([, path, module]) => {
        const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`${module}.tsx`));
        if (!first || !path || !page) throw new Error(`No script of the bundle is the page of ${path}`);
        return [path, [...withImports(page.fileName, withImports(first.fileName))]] as const;
      },
    );
    this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(Object.fromEntries(scripts)) });
  },
});
