import { PERMISSIONS } from '#domain/permissions.js';
import { nameOf, ownRoutesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

type Declared = {
  readonly security?: readonly object[];
  readonly 'x-needs'?: readonly string[];
  readonly 'x-reads-content'?: string;
};

/** The permissions that routes declare, as the OpenAPI document shows them. */
describe('the permissions of routes', () => {
  let api: TestApi;
  let routes: readonly Route[];
  const declared = ({ operation }: Route) => operation as unknown as Declared;
  beforeAll(async () => {
    api = await sharedTestApi();
    routes = ownRoutesOf((await api.call('GET', '/openapi.json', undefined, {})).body as ApiDocument);
  });
  afterAll(() => api.close());

  it('are declared by every route that is not public', () => {
    const undeclared = routes.filter(
      (route) => declared(route).security?.length !== 0 && !declared(route)['x-needs']?.length,
    );
    expect(routes.length).toBeGreaterThan(100);
    expect(undeclared.map(nameOf)).toEqual([]);
  });

  it('are existing permissions', () => {
    const used = new Set(routes.flatMap((route) => declared(route)['x-needs'] ?? []));
    expect([...used].sort()).toEqual(Object.keys(PERMISSIONS).sort());
  });

  it('require `content` or `audit` for reading contents, except on the routes that can leave contents out', () => {
    const reading = routes.filter((route) => declared(route)['x-reads-content'] !== undefined);
    const without = reading.filter(
      (route) => !declared(route)['x-needs']!.every((need) => ['content', 'audit', 'write'].includes(need)),
    );
    expect(without.map(nameOf).sort()).toEqual([
      'GET /distillable',
      'GET /felix/evaluations/{id}',
      'GET /inferences',
      'GET /inferences/{id}',
    ]);
  });

  it("need more than a permission to read for changes, except to the caller's own keys", () => {
    const changing = routes.filter(({ method }) => method.toUpperCase() !== 'GET');
    const byReading = changing.filter((route) =>
      declared(route)['x-needs']?.some((need) => ['history', 'content', 'weights', 'audit'].includes(need)),
    );
    expect(byReading.map(nameOf)).toEqual([]);
  });
});
