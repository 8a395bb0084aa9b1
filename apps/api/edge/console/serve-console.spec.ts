import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('the page of the console', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const linksOf = async (path: string): Promise<readonly string[]> => {
    const answer = await fetch(`${api.url}/console${path}`);
    expect(answer.status).toBe(200);
    return (answer.headers.get('link') ?? '').split(', ');
  };
  const namesOf = (links: readonly string[]): readonly string[] =>
    links.map((link) => /^<\/console\/assets\/(.+)-[\w-]{8}\.js>; rel=modulepreload$/.exec(link)?.[1] ?? link);

  it('names who is signed in and the scripts of its route, the first script first', async () => {
    const [session, first, ...rest] = await linksOf('/training/8d0e?tab=labels');
    expect(session).toBe('</auth/session>; rel=preload; as=fetch; crossorigin');
    expect(first).toMatch(/index/);
    expect(namesOf(rest)).toContain('job-page');
    const [path] = /\/console[^>]+/.exec(first!)!;
    const script = await fetch(`${api.url}${path}`);
    expect([script.status, script.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  it.each([
    ['', 'home-page'],
    ['/', 'home-page'],
    ['/datasets/tickets/2', 'version-page'],
    ['/training/', 'training-page'],
    ['/training/compare', 'compare-page'],
    ['/models/a%20b', 'model-page'],
  ])('%s is that of %s', async (path, page) => {
    const pages = namesOf(await linksOf(path)).filter((name) => name.endsWith('-page'));
    expect(pages).toEqual([page]);
  });

  it('names no scripts at an address that is no route', async () => {
    expect(await linksOf('/nowhere/at/all')).toHaveLength(1);
  });
});
