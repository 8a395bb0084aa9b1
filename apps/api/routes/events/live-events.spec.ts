import { startTestApi, type TestApi } from '#test/support/api.js';
import { openRawClient } from '#test/support/raw-client.js';
import { eventually } from '#test/support/eventually.js';
import { listen } from '#test/support/server-sent-events.js';
import { MAX_LIVE_STREAMS } from '../../edge/live-messages.js';

describe('the live event stream', () => {
  let api: TestApi;
  const opened: Awaited<ReturnType<typeof listen>>[] = [];
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close();
  });
  afterAll(() => api.close());

  async function follow(query: string, headers: Record<string, string> = {}, key = api.key) {
    const stream = await listen({ url: api.url, key }, `/events/live?${query}`, headers);
    opened.push(stream);
    return stream;
  }
  /** The next event, behind checkpoints. */
  async function next(stream: Awaited<ReturnType<typeof listen>>) {
    for (;;) {
      const { id, event, data } = await stream.next();
      if (event === 'event') return { id, type: data.event.type as string, name: data.event.data.name as string };
    }
  }
  const project = async (name: string, key = api.key) =>
    (await api.call('POST', '/projects', { name }, { 'x-api-key': key })).body.id as string;

  it("sends events as they happen, of the caller's workspace only, filtered as requested", async () => {
    const { key } = await api.colleague();
    const all = await follow('type=project-created.v1,project-deleted.v1');
    const deleted = await follow('type=project-deleted.v1');
    const other = await follow('type=project-created.v1', {}, key);
    const id = await project('mine');
    await project('not mine', key);
    await api.call('DELETE', `/projects/${id}`);
    expect([(await next(all)).name, (await next(all)).type]).toEqual(['mine', 'project-deleted.v1']);
    expect((await next(deleted)).type).toBe('project-deleted.v1');
    expect((await next(other)).name).toBe('not mine');
  });

  it('continues after Last-Event-ID, with no event lost or repeated', async () => {
    const first = await follow('type=project-created.v1');
    await project('seen');
    const seen = await next(first);
    first.close();
    await project('missed');
    const again = await follow('type=project-created.v1', { 'last-event-id': seen.id! });
    await project('after');
    expect([seen.name, (await next(again)).name, (await next(again)).name]).toEqual(['seen', 'missed', 'after']);
  });

  it("may be opened up to the workspace's limit; one more is 429, and closing one makes room", async () => {
    const streams = await Promise.all(Array.from({ length: MAX_LIVE_STREAMS }, () => follow('')));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await api.call('GET', '/events/live');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    streams[0]!.close();
    await eventually(
      async () => (await follow('')).status,
      (status) => status === 200,
    );
  });

  it('answers HEAD with the headers alone, so that the connection serves the next request', async () => {
    const client = await openRawClient(api.url);
    const request = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.key}\r\n${more}\r\n`;
    client.socket.write(request('HEAD /events/live') + request('GET /projects', 'Connection: close\r\n'));
    await client.ended;
    expect(client.text()).toMatch(
      /^HTTP\/1\.1 200 [^]*content-type: text\/event-stream[^]*HTTP\/1\.1 200 [^]*content-type: application\/json/,
    );
  });

  const session = () => ({ authorization: `Bearer ${api.session}` });
  /** Resolves once the server has ended the stream. */
  const ended = async (stream: Awaited<ReturnType<typeof listen>>) => {
    for await (const _ of stream.messages);
  };

  it('ends when its key is revoked or expired, or its maker’s role no longer permits it, and others continue', async () => {
    const other = await follow('type=project-created.v1');
    const made = async (more: object, headers = session() as Record<string, string>) =>
      (await api.call('POST', '/create-api-key', { name: 'k', ...more }, headers)).body as {
        readonly id: string;
        readonly secret_key: string;
      };
    const revoked = await made({});
    const expiring = await made({ expires_at: new Date(Date.now() + 10_000).toISOString() });
    const last = await follow('', {}, expiring.secret_key);
    const invite = (role: string) =>
      api.call('PUT', '/workspace/members', { email: 'aud@example.com', role }, session());
    const { body } = await invite('auditor');
    const signedIn = await fetch(body.sign_in_link as string, { redirect: 'manual' });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const theirs = await made({}, { cookie, origin: api.url });
    const streams = [await follow('', {}, revoked.secret_key), await follow('', {}, theirs.secret_key)];
    streams.push(await listen(api, '/events/live', { 'x-api-key': '', cookie }));
    opened.push(streams.at(-1)!);
    expect([...streams, last].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await api.call('DELETE', '/delete-api-key', { key_id: revoked.id }, session());
    await ended(streams[0]!);
    await invite('developer');
    await invite('runner');
    await Promise.all([ended(streams[1]!), ended(streams[2]!), ended(last)]);
    await project('still heard');
    expect((await next(other)).name).toBe('still heard');
  });

  it('refuses an id that is not a position, and an unknown type', async () => {
    const headers = { 'x-api-key': api.key, 'last-event-id': 'x' };
    expect((await api.call('GET', '/events/live', undefined, headers)).status).toBe(422);
    expect((await api.call('GET', '/events/live?type=nothing.v1')).status).toBe(422);
    expect((await api.call('GET', '/events/live', undefined, {})).status).toBe(401);
  });
});
