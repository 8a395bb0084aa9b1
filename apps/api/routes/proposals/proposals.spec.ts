import { streamName } from '#domain/streams.js';
import { modelStreamId } from '#application/models.js';
import type { Answer, TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const BASE = 'anneal/encoder-base-v1';
const NOBODY = '0190f3c4-0000-7000-8000-000000000000';
const ALL = ['promote', 'force', 'erase', 'delete'];

type Headers = Record<string, string>;

describe('two people', () => {
  let api: TestApi;
  let ada: Headers;
  let bob: Headers;
  let eve: Headers;
  let count = 0;
  beforeAll(async () => {
    api = await sharedTestApi();
    ada = { authorization: `Bearer ${api.session}` };
    const alone = await want(ALL);
    expect([alone.status, alone.body.detail]).toEqual([409, expect.stringContaining('one owner')]);
    bob = await invited('owner');
    eve = await invited('developer');
    expect((await want(ALL)).body.two_people).toEqual(ALL);
  });
  afterAll(() => api.close());

  const invited = async (role: string, by = ada): Promise<Headers> => {
    const email = `two-${role}-${crypto.randomUUID()}@example.com`;
    const { body } = await api.call('PUT', '/workspace/members', { email, role }, by);
    const followed = await fetch(body.sign_in_link as string, { redirect: 'manual' });
    const token = /anneal_session=([\w-]+)/.exec(followed.headers.get('set-cookie') ?? '')![1];
    return { authorization: `Bearer ${token}` };
  };
  const want = (acts: readonly string[], by = ada): Promise<Answer> =>
    api.call('PUT', '/workspace/two-people', { acts }, by);
  const confirm = (id: string, by: Headers) => api.call('POST', `/proposals/${id}/confirm`, undefined, by);
  const decline = (id: string, by: Headers, body: object = {}) =>
    api.call('POST', `/proposals/${id}/decline`, body, by);
  const named = async (): Promise<string> => {
    const name = `two-${(count += 1)}`;
    await api.call('POST', '/models', { name }, ada);
    await api.call('POST', `/models/${name}/versions`, { model_id: BASE }, ada);
    return name;
  };
  const promote = (name: string, by = ada, query = '') =>
    api.call('PUT', `/models/${name}/versions/1/promote${query}`, { reason: 'better' }, by);
  const inUse = async (name: string) => (await api.call('GET', `/models/${name}`, undefined, ada)).body.version;

  const report = async (query: string) =>
    JSON.stringify((await api.call('GET', `/audit/report?${query}`, undefined, ada)).body);

  it('have what one proposes done by the confirmation of another, with both names on the log', async () => {
    const name = await named();
    const { status, body } = await promote(name, ada, '?ticket=T-1');
    expect([status, body]).toEqual([
      202,
      {
        ...{ status: 'proposed', proposal_id: expect.any(String), expires_at: expect.any(String) },
        message: expect.stringContaining('second person'),
      },
    ]);
    const id = body.proposal_id as string;
    expect(await inUse(name)).toBeNull();
    expect((await promote(name, ada)).body.proposal_id).toBe(id);
    const listed = (await api.call('GET', '/proposals?status=open', undefined, bob)).body;
    expect(listed.proposals).toContainEqual({
      ...{ id, status: 'open', act: 'promote', about: `put ${name}@1 in use`, reason: 'better', ticket: 'T-1' },
      ...{ proposed_by: expect.stringMatching(/^user:/), proposer_id: expect.any(String) },
      ...{ proposed_at: expect.any(String), expires_at: body.expires_at },
      ...{ decided_by: null, decided_at: null, declined_because: null },
      ...{ invited_by_proposer: null, same_address: null },
    });
    const done = await confirm(id, bob);
    expect([done.status, done.body]).toMatchObject([200, { id, status: 'performed', act: 'promote' }]);
    // For others to judge: bob was invited by ada before two people were wanted, and both are at this machine.
    expect(done.body).toMatchObject({ invited_by_proposer: true, same_address: true });
    expect(await inUse(name)).toBe(1);
    const { workspace_id } = (await api.call('GET', '/auth/session', undefined, ada)).body;
    const stream = streamName('model', modelStreamId(workspace_id as string, name));
    const { events } = (await api.call('GET', `/events?stream=${stream}`, undefined, ada)).body;
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'model-version-promoted.v1', actor: done.body.proposed_by, ticket: 'T-1' },
      confirmed_by: done.body.decided_by,
    });
    expect(done.body.decided_by).not.toBe(done.body.proposed_by);
    const confirmed_by = done.body.decided_by as string;
    const call = await api.call('POST', '/inference', { model_id: name, text: 'Ada flew to Lyon.', schema: ['city'] });
    await api.drained();
    const lineage = await api.call('GET', `/inferences/${call.body.inference_id}/lineage`, undefined, ada);
    expect(JSON.stringify(lineage.body)).toContain(JSON.stringify({ confirmed_by }).slice(1, -1));
    const card = await report(`kind=card&model=${name}`);
    expect(card).toMatch(new RegExp(`version 1 was put in use by user:[^;]*, confirmed by ${confirmed_by}`));
    expect(card).toMatch(new RegExp(`proposed to put ${name}@1 in use; [^;]*; confirmed by ${confirmed_by}`));
    expect(await report('kind=access')).toContain('whom the proposer had invited, from the same address; done on');
    // Again: nothing more.
    expect((await confirm(id, bob)).body).toEqual(done.body);
    expect((await api.call('GET', `/events?stream=${stream}`, undefined, ada)).body.events).toEqual(events);
    expect((await confirm(id, eve)).status).toBe(409);
  });

  it('are two: not the proposer, nor a key of theirs, nor someone who may not do it', async () => {
    const name = await named();
    const key = async (by: Headers): Promise<Headers> => ({
      'x-api-key': (await api.call('POST', '/create-api-key', { name: 'k' }, by)).body.secret_key as string,
    });
    const [first, second] = [await key(ada), await key(ada)];
    const { proposal_id: id } = (await promote(name, first)).body as { proposal_id: string };
    for (const by of [ada, first, second]) {
      const { status, body } = await confirm(id, by);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('another person')]);
    }
    expect((await confirm(id, await invited('auditor', bob))).status).toBe(403);
    expect(await inUse(name)).toBeNull();
    expect((await confirm(id, await key(bob))).status).toBe(200);
  });

  it('are not one person with a second account of their own', async () => {
    const name = await named();
    const { proposal_id: early } = (await promote(name, ada)).body as { proposal_id: string };
    const second = await invited('owner');
    const third = await invited('owner', second);
    const late = await confirm(early, await invited('owner', bob));
    expect([late.status, late.body.detail]).toEqual([403, expect.stringContaining('after it was proposed')]);
    for (const by of [second, third]) {
      const refused = await confirm(early, by);
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('the proposer invited')]);
    }
    expect(await inUse(name)).toBeNull();
    // To what bob proposes they are others.
    await decline(early, ada);
    const { proposal_id: of } = (await promote(name, bob)).body as { proposal_id: string };
    expect((await confirm(of, second)).body).toMatchObject({ status: 'performed', invited_by_proposer: false });
  });

  it('who confirm at once act once', async () => {
    const name = await named();
    const { proposal_id: id } = (await promote(name, ada)).body as { proposal_id: string };
    const answers = await Promise.all([confirm(id, bob), confirm(id, eve), confirm(id, bob)]);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { promotions } = (await api.call('GET', `/models/${name}`, undefined, ada)).body;
    expect(promotions).toHaveLength(1);
  });

  it('may decline, with a reason, or withdraw; then nobody confirms it', async () => {
    const name = await named();
    const { proposal_id: id } = (await promote(name, ada)).body as { proposal_id: string };
    const declined = await decline(id, eve, { reason: 'not yet' });
    expect(declined.body).toMatchObject({ status: 'declined', declined_because: 'not yet' });
    expect((await confirm(id, bob)).status).toBe(409);
    const { proposal_id: again } = (await promote(name, ada)).body as { proposal_id: string };
    expect(again).not.toBe(id);
    expect((await decline(again, ada)).body.status).toBe('declined');
    expect(await inUse(name)).toBeNull();
  });

  it('get no proposal for what would be refused or changes nothing', async () => {
    const name = await named();
    expect((await api.call('PUT', `/models/${name}/versions/9/promote`, { reason: 'x' }, ada)).status).toBe(404);
    const { proposal_id: id } = (await promote(name, ada)).body as { proposal_id: string };
    await confirm(id, bob);
    expect((await promote(name, ada)).status).toBe(200);
    expect((await api.call('DELETE', `/projects/${NOBODY}`, undefined, ada)).status).toBe(404);
  });

  it('are wanted for shares of callers, labels, named rollbacks, erasure and deletion; an erased subject is not on the log', async () => {
    const name = await named();
    const { proposal_id: id } = (await promote(name, ada)).body as { proposal_id: string };
    await confirm(id, bob);
    await api.call('POST', `/models/${name}/versions`, { model_id: 'anneal/encoder-fast-v1' }, ada);
    const subject = `person-${crypto.randomUUID()}`;
    const messages = [{ role: 'user', content: 'Ada lives in London.' }];
    const call = { model: BASE, schema: ['city'], user: subject, messages };
    const called = await api.call('POST', '/v1/chat/completions', call);
    const inferenceId = called.body.x_pioneer.inference_id as string;
    await api.drained();
    const dataset = `rows-${crypto.randomUUID()}`;
    await api.call('POST', '/felix/datasets/upload/url', { dataset_name: dataset }, ada);
    const requests: readonly (readonly [string, string, object?])[] = [
      ['PUT', `/models/${name}/labels/best`, { version: 1, reason: 'x' }],
      ['DELETE', `/inferences/${inferenceId}`],
      ['DELETE', `/inferences?subject=${subject}`],
      ['PUT', '/account/retention', { calls: 400 }],
      ['DELETE', `/models/${name}`],
    ];
    for (const [method, path, body] of requests)
      expect([path, (await api.call(method, path, body, ada)).status]).toEqual([path, 202]);
    const open = (await api.call('GET', '/proposals?status=open', undefined, bob)).body;
    expect(JSON.stringify(open)).not.toContain(subject);
    const { id: ofSubject } = open.proposals.find(({ about }: { about: string }) => /one subject/.test(about));
    expect((await confirm(ofSubject as string, bob)).body.status).toBe('performed');
    const { body } = await api.call('GET', `/inferences/${inferenceId}`, undefined, ada);
    expect(body.erased_at).toEqual(expect.any(String));
    const roll = await api.call('POST', `/models/${name}/rollback`, { reason: 'worse' }, ada);
    expect([roll.status, roll.body.detail]).toEqual([409, expect.stringContaining('no other version')]);
  });

  it('of another workspace find nothing', async () => {
    const name = await named();
    const { proposal_id: id } = (await promote(name, ada)).body as { proposal_id: string };
    const { key } = await api.colleague();
    const other = { 'x-api-key': key };
    expect((await confirm(id, other)).status).toBe(404);
    expect((await decline(id, other)).status).toBe(404);
    expect((await api.call('GET', `/proposals/${id}`, undefined, other)).status).toBe(404);
    expect((await api.call('GET', '/proposals?limit=1&offset=0', undefined, other)).body).toEqual({
      ...{ proposals: [], count: 0, total: 0 },
    });
    const open = { id, status: 'open' };
    expect((await api.call('GET', `/proposals/${id}`, undefined, bob)).body).toMatchObject(open);
    await decline(id, ada);
    const at = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
    expect((await api.call('GET', `/proposals/${id}?as_of=${at}`, undefined, bob)).status).toBe(404);
  });

  it('are no longer wanted only when another owner agrees', async () => {
    const { status, body } = await want([]);
    expect(status).toBe(202);
    expect((await confirm(body.proposal_id as string, eve)).status).toBe(403);
    expect((await api.call('GET', '/workspace', undefined, ada)).body.two_people).toEqual(ALL);
    expect((await confirm(body.proposal_id as string, bob)).body).toMatchObject({ act: 'two_people' });
    expect((await api.call('GET', '/workspace', undefined, ada)).body.two_people).toEqual([]);
    expect((await promote(await named())).status).toBe(200);
  });
});
