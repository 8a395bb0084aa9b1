import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { checkpointNow } from '#test/support/audited.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ROWS = ['a', 'b'].map((label) => JSON.stringify({ text: `text ${label}`, label })).join('\n');

describe('why something is changed', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  const last = async (type: string) =>
    (await api.call('GET', `/events/log?type=${type}&order=desc&limit=1`)).body.events[0];

  it('is said with a deletion, an erasure, a hold and its release, and stands with their events', async () => {
    await uploadDataset(api, { dataset_name: 'why', dataset_type: 'classification' }, ROWS);
    await api.call('DELETE', '/felix/datasets/why/1?reason=wrong%20labels&ticket=OPS-7');
    expect(await last('dataset-version-deleted.v1')).toMatchObject({ reason: 'wrong labels', ticket: 'OPS-7' });
    await api.call('DELETE', '/felix/datasets/why/1?erase=true&ticket=OPS-8');
    const purged = await last('dataset-version-purged.v1');
    expect(purged).toMatchObject({ ticket: 'OPS-8' });
    expect(purged).not.toHaveProperty('reason');
    const hold = { kind: 'dataset', id: 'why', reason: 'case 4' };
    const { body } = await api.call('POST', '/account/holds?ticket=L-1', hold);
    expect(await last('hold-placed.v1')).toMatchObject({ ticket: 'L-1', data: { reason: 'case 4' } });
    await api.call('DELETE', `/account/holds/${body.id}?reason=closed&ticket=L-2`);
    expect(await last('hold-released.v1')).toMatchObject({ ticket: 'L-2', data: { reason: 'closed' } });
  });

  it('stands in lineage, beside what was erased or deleted, and in exports', async () => {
    for (const name of ['left', 'wiped']) await uploadDataset(api, { dataset_name: name }, ROWS);
    await api.call('DELETE', '/felix/datasets/left/1?reason=old&ticket=OPS-1');
    await api.call('DELETE', '/felix/datasets/wiped/1?erase=true&reason=asked%20for&ticket=OPS-2');
    const lineageOf = async (path: string) => (await api.call('GET', `/lineage/${path}`)).body;
    const { dataset: left } = await lineageOf('datasets/left/1');
    expect(left.deleted).toMatchObject({ type: 'dataset-version-deleted.v1', reason: 'old', ticket: 'OPS-1' });
    const { dataset: wiped } = await lineageOf('datasets/wiped/1');
    expect(wiped.erased.event).toMatchObject({ reason: 'asked for', ticket: 'OPS-2' });
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada in Lyon', schema: ['city'] };
    const { inference_id: id } = (await api.call('POST', '/inference', call)).body;
    await api.drained();
    const { status, body: certificate } = await api.call('DELETE', `/inferences/${id}?reason=GDPR%2017&ticket=OPS-3`);
    expect(status).toBe(200);
    expect((await api.call('GET', `/inferences/${id}/lineage`)).body.erased).toMatchObject({
      reason: 'GDPR 17',
      ticket: 'OPS-3',
    });
    await checkpointNow(api);
    const headers = { 'x-api-key': api.key };
    const exported = await fetch(`${api.url}/audit/export?stream=${certificate.event.stream}`, { headers });
    const line = (await exported.text()).split('\n').find((each) => each.includes('call-content-erased.v1'));
    const { metadata } = JSON.parse(line!) as { readonly metadata: string };
    expect(JSON.parse(metadata)).toMatchObject({ reason: 'GDPR 17', ticket: 'OPS-3' });
  });

  it('is 422 by name on every route that takes it, if it is no text of its length, and nothing is changed', async () => {
    const { body: project } = await api.call('POST', '/projects', { name: 'why' });
    for (const query of ['reason=', 'reason=%20', `reason=${'x'.repeat(501)}`, 'ticket=a%0Ab', 'ticket=a&ticket=b']) {
      const { status, body } = await api.call('DELETE', `/projects/${project.id}?${query}`);
      expect([status, body.detail]).toEqual([422, expect.stringContaining(`${query.split('=', 1)[0]}: must be`)]);
    }
    expect((await api.call('GET', `/projects/${project.id}`)).status).toBe(200);
    const { body: document } = await api.call('GET', '/openapi.json');
    const routes = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) =>
          parameters.flatMap(({ in: part, name }) =>
            part === 'query' && ['reason', 'ticket'].includes(name) && !requestBody ? [{ path, method, name }] : [],
          ),
        ),
    );
    expect(routes.length).toBeGreaterThan(20);
    for (const { path, method, name } of routes) {
      const session = { authorization: `Bearer ${api.session}` };
      const address = `${path.replaceAll(/\{\w+\}/g, '1')}?${name}=${'x'.repeat(1000)}`;
      const { status, body } = await api.call(method.toUpperCase(), address, undefined, session);
      expect([path, status, JSON.stringify(body)]).toEqual([path, 422, expect.stringContaining(`"${name}"`)]);
    }
  });
});

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: object;
}
