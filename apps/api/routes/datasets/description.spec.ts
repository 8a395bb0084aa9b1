import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const SAID = { purpose: 'Sort tickets', source: 'The desk’s mailbox, 2029', license: 'CC-BY-4.0' };
const ROWS = `${JSON.stringify({ text: 'Ada left', entities: [['Ada', 'person']] })}\n`;

interface Named {
  readonly name: string;
  readonly description: object;
}

describe('the description of a dataset version', () => {
  let api: TestApi;
  let actor: string;
  beforeAll(async () => {
    api = await sharedTestApi();
    actor = (await begun({ dataset_name: 'whose', purpose: 'x' })).by;
  });
  afterAll(() => api.close());

  const get = async (path: string) => (await api.call('GET', `/felix/datasets/${path}`)).body;
  const begun = async (body: { readonly dataset_name: string; readonly [field: string]: unknown }) => {
    expect((await api.call('POST', '/felix/datasets/upload/url', body)).status).toBe(200);
    return (await get(`${body.dataset_name}/latest`)).description;
  };
  const describeVersion = (path: string, body: unknown, headers?: Record<string, string>) =>
    api.call('PATCH', `/felix/datasets/${path}`, body, headers);

  it('can come with the upload, and is absent without', async () => {
    expect(await begun({ dataset_name: 'said', ...SAID })).toEqual({
      ...{ ...SAID, consent: null, by: expect.stringMatching(/^key:/) },
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await begun({ dataset_name: 'unsaid' })).toBeUndefined();
  });

  it('changes afterwards, a field at a time, and the rows and their times do not', async () => {
    await uploadDataset(api, { dataset_name: 'described' }, ROWS);
    const before = await get('described/1');
    const { status, body } = await describeVersion('described/latest', SAID);
    const { description, ...rest } = body;
    expect([status, rest]).toEqual([200, before]);
    expect(description).toMatchObject({ ...SAID, consent: null, by: actor });
    await describeVersion('described/1', { consent: 'Art. 6 (1) f', source: null });
    const changed = (await get('described/1')).description;
    expect(changed).toMatchObject({ ...SAID, source: null, consent: 'Art. 6 (1) f' });
    const { datasets } = (await api.call('GET', '/felix/datasets')).body;
    expect((datasets as Named[]).find(({ name }) => name === 'described')!.description).toEqual(changed);
    expect((await get(`described/1?as_of=${description.at}`)).description).toEqual(description);
    const { events } = (await api.call('GET', '/events/log?type=dataset-version-described.v1&order=desc')).body;
    const own = (events as { data: { versionId: string } }[]).filter(({ data }) => data.versionId === body.id);
    expect(own.map(({ data }) => data)).toMatchObject([
      { ...SAID, source: null, consent: 'Art. 6 (1) f', describedBy: actor },
      { ...SAID, consent: null },
    ]);
    const { dataset } = (await api.call('GET', '/lineage/datasets/described/1')).body;
    expect(dataset.described).toMatchObject({
      ...{ purpose: SAID.purpose, source: null, license: SAID.license, consent: 'Art. 6 (1) f' },
      ...{ by: { actor }, event: { type: 'dataset-version-described.v1' } },
    });
  });

  it('has guidelines of several lines, which stay until they are removed', async () => {
    const guidelines = 'Cities only.\nNo countries.';
    expect(await begun({ dataset_name: 'guided', guidelines })).toMatchObject({ purpose: null, guidelines });
    const saying = async (body: object) => (await describeVersion('guided/1', body)).body.description;
    expect(await saying({ purpose: 'To learn' })).toMatchObject({ purpose: 'To learn', guidelines });
    expect(await saying({ guidelines: null })).not.toHaveProperty('guidelines');
  });

  it('is shown in the lineage of a merged row', async () => {
    for (const dataset_name of ['first', 'second']) await uploadDataset(api, { dataset_name }, ROWS);
    await describeVersion('first/1', SAID);
    const sources = [{ dataset_name: 'first' }, { dataset_name: 'second' }];
    await api.call('POST', '/felix/datasets/merge', { sources, output_name: 'both' });
    const cameFrom = async (row: number) =>
      (await api.call('GET', `/lineage/datasets/both/1/rows/${row}`)).body.came_from;
    expect((await cameFrom(1))[0].described).toMatchObject(SAID);
    expect((await cameFrom(2))[0].described).toBeNull();
  });

  it('that is given again is no event', async () => {
    await begun({ dataset_name: 'twice', ...SAID });
    const { at } = (await get('twice/1')).description;
    expect((await describeVersion('twice/1', SAID)).body.description.at).toBe(at);
  });

  it.each([
    ['no field', {}, 'must have at least one of'],
    ['an empty text', { purpose: '' }, 'purpose'],
    ['a long text', { source: 'x'.repeat(2001) }, 'source'],
    ['long guidelines', { guidelines: 'x'.repeat(10_001) }, 'guidelines'],
    ['a long license', { license: 'x'.repeat(201) }, 'license'],
    ['a line break', { consent: 'a\nb' }, 'consent'],
    ['no text', { purpose: 7 }, 'purpose'],
    ['an unknown field alone', { owner: 'Ada' }, 'must have at least one of'],
  ])('is refused with %s, and nothing changes', async (_, body, said) => {
    const { status, body: refused } = await describeVersion('whose/1', body);
    expect([status, JSON.stringify(refused)]).toEqual([422, expect.stringContaining(said)]);
    expect((await get('whose/1')).description.purpose).toBe('x');
  });

  it('is of versions of the workspace that are not deleted', async () => {
    const other = { 'x-api-key': (await api.colleague()).key };
    expect((await describeVersion('whose/1', SAID, other)).status).toBe(404);
    expect((await describeVersion('whose/9', SAID)).status).toBe(404);
    await begun({ dataset_name: 'gone' });
    await api.call('DELETE', '/felix/datasets/gone');
    expect((await describeVersion('gone/1', SAID)).status).toBe(404);
  });
});
