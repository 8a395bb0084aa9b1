import { onServers } from '#test/deployments/test-api.js';
import type { TestApi } from '#test/support/api.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import type { Json, JsonObject } from '#domain/json.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';

const MODEL = 'anneal/encoder-base-v1';

// A read model on MongoDB is not changed here: the command sees both through one port.
(onServers() ? describe.skip : describe)('erasure of a call of which the read model was changed', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  const recorded = async (filler = ''): Promise<string> => {
    const { body } = await api.call('POST', '/v1/chat/completions', {
      ...{ model: MODEL, schema: ['person'] },
      messages: [
        { role: 'user', content: filler },
        { role: 'user', content: 'Ada Lovelace flew to Berlin.' },
      ],
    });
    await api.drained();
    return body.x_pioneer.inference_id as string;
  };
  const history = () => new ReadModelFile(api, 'inferences');
  const documentOf = async (id: string) =>
    (await history().documentOf(id)) as {
      readonly [field: string]: Json;
      readonly contentKey: string;
      readonly whole: { readonly objectKey: string } | null;
    };
  const change = (id: string, fields: JsonObject) => history().change(id, fields);

  it.each<[string, (other: { readonly [field: string]: Json }) => JsonObject]>([
    ['has the key of another call', ({ contentKey }) => ({ contentKey })],
    ['has no key', () => ({ contentKey: null })],
    ['has the place of another call', ({ contentKey, position }) => ({ contentKey, position })],
    ['has a place that there cannot be', () => ({ contentKey: null, position: 'nowhere' })],
  ])('destroys the key and the object of that call where it %s', async (_, changed) => {
    const id = await recorded('A long text of many words. '.repeat(4_000));
    const other = await recorded();
    const { contentKey, whole } = await documentOf(id);
    const others = await documentOf(other);
    await change(id, { ...changed(others), whole: null });
    const { status, body } = await api.call('DELETE', `/inferences/${id}`);
    expect({ status, keys: body.keys }).toMatchObject({ status: 200, keys: [{ id: contentKey }] });
    const { contentKeys, ports } = api.application;
    expect(await contentKeys!.get(contentKey)).toBeNull();
    expect(await contentKeys!.get(others.contentKey)).not.toBeNull();
    await expect(ports.objectStore.get(whole!.objectKey)).rejects.toThrow(ObjectNotFoundError);
    expect((await api.call('GET', `/inferences/${other}`)).body).toMatchObject({ input: expect.anything() });
  });

  it('obeys a hold on the model that was called, whatever the read model says was called', async () => {
    const id = await recorded();
    const { body: hold } = await api.call('POST', '/account/holds', { kind: 'model', id: MODEL, reason: 'case 7' });
    await change(id, { modelId: 'another', modelKey: 'another' });
    const { status, body } = await api.call('DELETE', `/inferences/${id}`);
    expect((await api.call('DELETE', `/account/holds/${hold.id}?reason=over`)).status).toBe(200);
    expect({ status, text: JSON.stringify(body) }).toEqual({ status: 409, text: expect.stringContaining('hold') });
  });

  it('is refused for a call that only the read model has, and the error names the command that rebuilds it', async () => {
    const id = await recorded();
    const forged = id.replace(/.{12}$/, 'aaaaaaaaaaaa');
    await change(id, { id: forged });
    await history().rename(id, forged);
    const { status, body } = await api.call('DELETE', `/inferences/${forged}`);
    expect({ status, text: JSON.stringify(body) }).toEqual({
      status: 409,
      text: expect.stringContaining('anneal projections rebuild inferences'),
    });
  });
});
