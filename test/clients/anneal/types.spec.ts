import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { MODULES, PACKAGE } from './environment.js';
import { headerOf, MODULES_OF_TYPES } from './generate.js';

describe('the Python client', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  it.each(MODULES_OF_TYPES)(
    "has the API's current types, but perhaps not its descriptions, in $file (npm run client:python)",
    async ({ file, documentOf }) => {
      const { body } = await api.call('GET', '/openapi.json', undefined, {});
      const [header] = readFileSync(join(MODULES, file), 'utf8').split('\n');
      expect(header).toBe(headerOf(documentOf(body)));
    },
  );

  it('comes with the licence of the project', () => {
    const read = (path: string) => readFileSync(path, 'utf8');
    expect(read(join(PACKAGE, 'LICENSE'))).toBe(read(join(PACKAGE, '..', '..', 'LICENSE')));
  });
});
