import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { needsOf } from './needs.js';
import { typesOf } from './schema.js';

describe('the console', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  it("is compiled with the API's current types and permissions (npm run console:schema)", async () => {
    const { body } = await api.call('GET', '/openapi.json', undefined, {});
    const committed = (name: string): string =>
      readFileSync(join(import.meta.dirname, '../../../apps/console/api', name), 'utf8');
    expect(committed('schema.d.ts')).toBe(await typesOf(body));
    expect(committed('needs.ts')).toBe(needsOf(body));
  });

  it('answers every address below its own with its page, which requests nothing from other hosts', async () => {
    for (const path of ['/console', '/console/', '/console/datasets/tickets?tab=rows']) {
      const page = await api.call('GET', path, undefined, {});
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
    }
  });

  it('is sent compressed, and cached forever if a name contains a hash', async () => {
    const page = await api.call('GET', '/console/', undefined, {});
    const script = /src="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const answer = await fetch(api.url + script, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('cache-control')).toMatch(/immutable/);
    await answer.arrayBuffer();
  });

  it('serves no file outside its bundle', async () => {
    for (const path of [
      '/console/assets/../../package.json',
      '/console/assets/%2e%2e/%2e%2e/api/main.js',
      '/console/assets/none.js',
    ]) {
      const answer = await api.call('GET', path, undefined, {});
      expect(String(answer.body)).not.toContain('dependencies');
      expect([200, 401, 403, 404]).toContain(answer.status);
      if (answer.status === 200) expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    }
  });
});
