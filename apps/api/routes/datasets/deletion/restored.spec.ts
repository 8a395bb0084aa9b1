import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ROWS = '{"text":"a","label":"x"}\n{"text":"b","label":"y"}\n';

describe('deleted datasets', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const deleted = async () => {
    const { body } = await api.call('GET', '/felix/deleted-datasets');
    return (body.versions as { name: string; version_number: string; status: string; deleted_at: string }[]).map(
      ({ name, version_number, status, deleted_at }) => {
        expect(Date.parse(deleted_at)).not.toBeNaN();
        return `${name}/${version_number} ${status}`;
      },
    );
  };
  const remove = (path: string) => api.call('DELETE', `/felix/datasets/${path}`);
  const restore = (name: string, body: object = {}) => api.call('POST', `/felix/datasets/${name}/restore`, body);

  it('are listed, the last deleted first, and come back one by one or all at once', async () => {
    for (let version = 1; version <= 3; version += 1) await uploadDataset(api, { dataset_name: 'gone' }, ROWS);
    await remove('gone/2');
    await remove('gone');
    expect((await deleted()).toSorted()).toEqual(['gone/1 ready', 'gone/2 ready', 'gone/3 ready']);
    const one = await restore('gone', { version: 2 });
    expect([one.status, one.body]).toMatchObject([
      200,
      { success: true, count: 1, versions: [{ version_number: '2' }] },
    ]);
    expect((await restore('gone', { version: 2 })).status).toBe(200);
    expect((await api.call('GET', '/felix/datasets/gone/2/preview')).body.total_rows).toBe(2);
    expect((await restore('gone')).body).toMatchObject({ count: 3 });
    expect(await deleted()).toEqual([]);
  });

  it('do not come back once they are erased, were never ready, or are of another workspace', async () => {
    await uploadDataset(api, { dataset_name: 'erased' }, ROWS);
    await api.call('DELETE', '/felix/datasets/erased/1?erase=true');
    await uploadDataset(api, { dataset_name: 'wrong' }, '{"text":7}');
    await remove('wrong');
    await uploadDataset(api, { dataset_name: 'own' }, ROWS);
    await remove('own');
    expect(await deleted()).toEqual(['own/1 ready']);
    expect((await restore('erased')).status).toBe(409);
    expect((await restore('wrong')).status).toBe(409);
    const other = await sharedTestApi();
    expect((await other.call('GET', '/felix/deleted-datasets')).body).toEqual({
      success: true,
      count: 0,
      versions: [],
    });
    expect((await other.call('POST', '/felix/datasets/own/restore', {})).status).toBe(404);
    await other.close();
    expect((await restore('own', { version: 0 })).status).toBe(422);
    expect((await restore('own', { version: 2 })).status).toBe(404);
  });
});
