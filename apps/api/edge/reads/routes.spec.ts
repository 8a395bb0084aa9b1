import { nameOf, ownRoutesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { resourceOf } from './decorator.js';

/** Routes that answer with stored contents, and how the record of a read names what was read. */
const CONTENT: Readonly<Record<string, string>> = {
  'GET /inferences': 'calls',
  'GET /inferences/export': 'calls',
  'GET /inferences/{id}': 'call/{id}',
  'GET /inferences/{id}/feedback': 'call/{id}',
  'GET /distillable': 'calls',
  'GET /review': 'calls',
  'GET /v1/responses/{id}': 'call/{resp_:id}',
  'GET /v1/responses/{id}/input_items': 'call/{resp_:id}',
  'GET /felix/datasets/{name}/{version}/left-out': 'dataset/{name}/{version}',
  'GET /felix/datasets/{name}/{version}/preview': 'dataset/{name}/{version}',
  'POST /felix/datasets/{name}/{version}/preview': 'dataset/{name}/{version}',
  'GET /felix/datasets/{name}/{version}/download': 'dataset/{name}/{version}',
  'GET /felix/datasets/{name}/{version}/report': 'dataset/{name}/{version}',
  'GET /lineage/datasets/{name}/{version}/rows/{row}': 'dataset/{name}/{version}',
  'POST /felix/datasets/{name}/{version}/push-to-hub': 'dataset/{name}/{version}',
  'GET /v1/files/{id}/content': 'file/{id}',
  'GET /generate/jobs/{id}': 'generation/{id}',
  'GET /felix/evaluations/{id}': 'evaluation/{id}',
  'GET /events': 'events/{stream}',
  'GET /events/log': 'events/{stream}',
  'GET /events/live': 'events/{stream}',
  'GET /audit/export': 'events/{stream}',
};

/** All other routes that read: ids, names, times, counts, figures, labels, weights, log lines of a training. */
const NO_CONTENT: readonly string[] = [
  '/account',
  '/account/holds',
  '/account/ledger',
  '/account/retention',
  '/account/usage',
  '/audit/checkpoint',
  '/audit/key',
  '/audit/model-keys',
  '/audit/reads',
  '/audit/report',
  '/auth/methods',
  '/auth/session',
  '/base-models',
  '/events/types',
  '/felix/datasets',
  '/felix/deleted-datasets',
  '/felix/datasets/{name}',
  '/felix/datasets/{name}/{version}',
  '/felix/datasets/{name}/{version}/diff',
  '/felix/evaluations',
  '/felix/evaluations/{id}/comparison',
  '/felix/trained-models',
  '/felix/training-jobs',
  '/felix/training-jobs/{id}',
  '/felix/training-jobs/{id}/checkpoints',
  '/felix/training-jobs/{id}/download',
  '/felix/training-jobs/{id}/events',
  '/felix/training-jobs/{id}/exports',
  '/felix/training-jobs/{id}/lineage',
  '/felix/training-jobs/{id}/logs',
  '/distillations/{id}',
  '/health',
  '/health/live',
  '/health/ready',
  '/improvements',
  '/improvements/{id}',
  '/incidents',
  '/inferences/agreement',
  '/inferences/stats',
  '/inferences/{id}/lineage',
  '/lineage/datasets/{name}/{version}',
  '/list-api-keys',
  '/models',
  '/models/{name}',
  '/models/{name}/distillations',
  '/models/{name}/drift',
  '/models/{name}/improvements',
  '/models/{name}/savings',
  '/projects',
  '/projects/{id}',
  '/proposals',
  '/proposals/{id}',
  '/queue',
  '/runners',
  '/settings',
  '/settings/changes',
  '/v1/batches',
  '/v1/batches/{id}',
  '/v1/files',
  '/v1/files/{id}',
  '/v1/fine_tuning/jobs',
  '/v1/fine_tuning/jobs/{id}',
  '/v1/fine_tuning/jobs/{id}/checkpoints',
  '/v1/fine_tuning/jobs/{id}/events',
  '/v1/models',
  '/v1/models/{path}',
  '/webhooks',
  '/webhooks/{id}',
  '/webhooks/{id}/deliveries',
  '/workspace',
];

describe('routes that answer with stored contents', () => {
  let api: TestApi;
  let routes: readonly Route[];
  beforeAll(async () => {
    api = await sharedTestApi();
    routes = ownRoutesOf((await api.call('GET', '/openapi.json', undefined, {})).body as ApiDocument);
  });
  afterAll(() => api.close());

  const marked = () =>
    routes.flatMap((route) => {
      const resource = (route.operation as { readonly 'x-reads-content'?: string })['x-reads-content'];
      return resource === undefined ? [] : [[nameOf(route), resource] as const];
    });

  it('declare the contents that they show, so that reads are recorded', () => {
    expect(Object.fromEntries(marked())).toEqual(CONTENT);
  });

  it('are listed apart from all others: a new GET route must be in one of the two lists', () => {
    const reading = routes.filter(({ method }) => method === 'GET').map(nameOf);
    const known = [
      ...NO_CONTENT.map((path) => `GET ${path}`),
      ...Object.keys(CONTENT).filter((name) => name.startsWith('GET ')),
    ];
    expect(reading.toSorted()).toEqual(known.toSorted());
  });

  it('name a resource by the parameters of the request, with * for a missing one', () => {
    const request = { params: { id: 'resp_1', name: 'a/b' }, query: { stream: 's' } };
    expect(resourceOf('call/{resp_:id}', request)).toBe('call/1');
    expect(resourceOf('dataset/{name}/{stream}', request)).toBe('dataset/a/b/s');
    expect(resourceOf('events/{other}', request)).toBe('events/*');
  });
});
