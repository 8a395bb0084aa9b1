import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every page asks first who is signed in. */
const SESSION = '</auth/session>; rel=preload; as=fetch; crossorigin';

/**
 * Requests that a browser makes together with the console's first script, not after it.
 * @param bundle folder of the built console, with the scripts of each route in `preloads.json`; read each time, as its page is, since both
 *   change when the console is built again
 * @param url address of a page, below `/console`
 * @returns the page's `Link` header
 */
export async function preloadsOf(bundle: string, url: string): Promise<string> {
  const routes = JSON.parse(await readFile(join(bundle, 'preloads.json'), 'utf8')) as Readonly<
    Record<string, string[]>
  >;
  const address =
    url
      .replace(/[?#].*/, '')
      .replace(/^\/console(?=\/|$)/, '')
      .replace(/\/$/, '') || '/';
  // A path without parameters, `/training/compare`, goes before one with them.
  const scripts = routes[address] ?? Object.entries(routes).find(([path]) => patternOf(path).test(address))?.[1] ?? [];
  return [SESSION, ...scripts.map((file) => `</console/${file}>; rel=modulepreload`)].join(', ');
}

/** `$id` stands for one segment. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}$`);
