import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A test, and one thing that it proves. */
export interface Proof {
  /** Path of the spec file from the root of the project. */
  readonly file: string;
  readonly title: string;
  /** A route (`GET /projects`), a schema (`ApiKeyRecord`), another key (`status`), or a promise in words. */
  readonly of: string;
  /**
   * Parameters of the query, fields of the schema, values of the key. `!` after a name: the test proves its bounds too. Null for a
   * promise.
   */
  readonly values: readonly string[] | null;
}

/**
 * The proofs of the interface, in `test/interface/proofs/*.txt`: without indentation the path of a spec file, by two blanks the
 * title of a test in it, by four blanks what that test proves:
 * - `GET /projects?limit!&offset!`: a route with parameters of its query
 * - `ApiKeyRecord: id, name!`: fields of a schema; also `status: 401`, `header: ETag`, `rate limit: default`
 * - `- A key that has expired is 401`: a promise in words
 * @throws for a line that is none of these, and for a spec file or title that comes twice
 */
export const readProofs = (): readonly Proof[] => {
  const pages = globSync('test/interface/proofs/*.txt', { cwd: ROOT }).toSorted();
  return proofsOf(pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join(''));
};

export function proofsOf(text: string): readonly Proof[] {
  const proofs: Proof[] = [];
  const seen = new Set<string>();
  let [file, title] = ['', ''];
  const once = (what: string): void => {
    if (seen.has(what)) throw new Error(`test/interface/proofs names ${what} twice`);
    seen.add(what);
  };
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, indent, rest] = /^( *)(.*)$/.exec(line)!;
    if (indent === '') once((file = rest!));
    else if (indent!.length === 2) once(`${file} “${(title = rest!)}”`);
    else proofs.push({ file, title, ...proven(rest!) });
  }
  return proofs;
}

function proven(line: string): Pick<Proof, 'of' | 'values'> {
  const [, promise] = /^- (.+)$/.exec(line) ?? [];
  if (promise !== undefined) return { of: promise, values: null };
  const [, route, query = ''] = /^([A-Z]+ \/[^?]*)(?:\?(.+))?$/.exec(line) ?? [];
  if (route !== undefined) return { of: route, values: query.split('&').filter(Boolean) };
  const [, key, values] = /^([^:]+): (.+)$/.exec(line) ?? [];
  if (key === undefined) throw new Error(`test/interface/proofs has a line that names nothing to prove: ${line}`);
  return { of: key, values: values!.split(', ') };
}

/** Whether the file has a test with this title, as a literal in the source. */
export function exists({ file, title }: Proof): boolean {
  const quoted = ["'", '"', '`'].map((quote) => new RegExp(`[(,:]\\s*${escaped(quote + title + quote)}`));
  return quoted.some((test) => test.test(sourceOf(file)));
}

const sources = new Map<string, string>();

/** The source of a file without the escapes of quotes; empty where there is no such file. */
function sourceOf(file: string): string {
  if (!sources.has(file))
    try {
      sources.set(file, readFileSync(join(ROOT, file), 'utf8').replaceAll(/\\(['"`])/g, '$1'));
    } catch {
      sources.set(file, '');
    }
  return sources.get(file)!;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
