import { locationsOf } from '#apps/composition/locations.js';
import { References } from '#audit/references.js';
import { storedPages } from '#audit/stored-pages.js';
import { compareObjects } from '#audit/stored-objects.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { openObjectStore } from '#ports/object-store/open.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const ROW = { text: 'Maria lives in Rome.', entities: [['Maria', 'person']] };

describe('files beside the rows of datasets', () => {
  let api: TestApi;
  let objects: ObjectStore;
  beforeAll(async () => {
    api = await sharedTestApi();
    objects = await openObjectStore(locationsOf(api.settings).objectStore);
  });
  afterAll(async () => {
    await objects.close();
    await api.close();
  });

  /** What differs from the events of this workspace. */
  const found = async () => {
    const references = new References();
    for await (const page of storedPages(api.application.storedEvents, null))
      for (const event of page) if (event.metadata.includes(api.workspaceId)) references.add(event);
    const findings: string[] = [];
    await compareObjects({ objects, references, onFinding: ({ what }) => findings.push(what) });
    return findings;
  };
  const keysWith = async (end: string) => {
    const keys: string[] = [];
    for (const folder of ['datasets', 'generation'])
      for await (const { key } of objects.list(`${folder}/${api.workspaceId}/`)) if (key.endsWith(end)) keys.push(key);
    return keys;
  };

  it('are compared with what was stored: indexes of rows, and what a request kept for its repeat', async () => {
    await uploadDataset(api, { dataset_name: 'rows' }, `${JSON.stringify(ROW)}\n`);
    const question = { model_id: 'anneal/encoder-base-v1', text: 'then Maria left.', schema: ['person'] };
    const { body: called } = await api.call('POST', '/inference', question);
    await api.call('POST', `/inferences/${called.inference_id}/feedback`, { verdict: 'correct' });
    await api.drained();
    expect((await api.call('POST', '/felix/datasets/from-feedback', { dataset_name: 'said' })).status).toBe(202);
    await api.until(
      () => api.call('GET', '/felix/datasets/said/1'),
      ({ body }) => body.status === 'ready',
    );
    expect(await found()).toEqual([]);
    const keys = [...(await keysWith('.index')), ...(await keysWith('/collected.json'))];
    expect(keys).toHaveLength(3);
    for (const key of keys) await objects.put(key, Buffer.from('{"rows":[]}'));
    expect((await found()).toSorted()).toEqual(
      keys.map((key) => `${key} is not the one that was stored: its hash is another`).toSorted(),
    );
  });
});
