import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who is signed in is what every page asks first. */
const SESSION = '</auth/session>; rel=preload; as=fetch; crossorigin';

/**
 * What a browser requests together with the console's first script, not after it.
 * @param bundle folder of the built console, with the scripts of each route in `preloads.json`
 * @returns the `Link` header of the page at an address below `/console`
 */
export function preloadsIn(bundle: string): (url: string) => string {
  const scripts = JSON.parse(readFileSync(join(bundle, 'preloads.json'), 'utf8')) as Readonly<Record<string, string[]>>;
  const routes = Object.keys(scripts).map((path) => ({ path, pattern: patternOf(path) }));
  return (url) => {
    const address =
      url
        .replace(/[?#].*/, '')
        .replace(/^\/console(?=\/|$)/, '')
        .replace(/\/$/, '') || '/';
    // A path without parameters, `/training/compare`, goes before one with them.
    const path = scripts[address] ? address : routes.find(({ pattern }) => pattern.test(address))?.path;
    const links = (path ? scripts[path]! : []).map((file) => `</console/${file}>; rel=modulepreload`);
    return [SESSION, ...links].join(', ');
  };
}

/** `$id` stands for one segment. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\$\w+/g, '[^/]+')}$`);
