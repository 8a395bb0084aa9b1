import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { listen } from '#test/support/server-sent-events.js';
import { MAX_LIVE_STREAMS } from '../live-messages.js';

describe('live events', () => {
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

  it('come as they happen, of the own workspace alone, as the filters say', async () => {
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

  it('go on behind Last-Event-ID, with none lost and none twice', async () => {
    const first = await follow('type=project-created.v1');
    await project('seen');
    const seen = await next(first);
    first.close();
    await project('missed');
    const again = await follow('type=project-created.v1', { 'last-event-id': seen.id! });
    await project('after');
    expect([seen.name, (await next(again)).name, (await next(again)).name]).toEqual(['seen', 'missed', 'after']);
  });

  it('are as many streams of a workspace as it may have; a further one is 429, and one that closes makes room', async () => {
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

  it('refuse an id that is no position, and a type that there is not', async () => {
    const headers = { 'x-api-key': api.key, 'last-event-id': 'x' };
    expect((await api.call('GET', '/events/live', undefined, headers)).status).toBe(422);
    expect((await api.call('GET', '/events/live?type=nothing.v1')).status).toBe(422);
    expect((await api.call('GET', '/events/live', undefined, {})).status).toBe(401);
  });
});
