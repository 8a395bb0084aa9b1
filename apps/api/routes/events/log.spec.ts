import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { testEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { positionBefore } from '#use-cases/events/position-before.js';

interface Shown {
  readonly type: string;
  readonly stream: string;
  readonly position: string;
  readonly actor: string;
  readonly correlation_id: string;
  readonly occurred_at: string;
  readonly data: unknown;
}

describe('the workspace’s events in log order', () => {
  let api: TestApi;
  let other: Record<string, string>;
  let own: readonly Shown[];
  beforeAll(async () => {
    api = await startTestApi();
    other = { 'x-api-key': (await api.colleague()).key };
    for (const name of ['one', 'two', 'three']) {
      const { body } = await api.call('POST', '/projects', { name });
      await api.call('DELETE', `/projects/${body.id}`);
      await api.call('POST', '/projects', { name: `hers ${name}` }, other);
    }
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Maria left.', schema: ['person'] };
    await api.call('POST', '/inference', call);
    await api.call('POST', '/inference', call, other);
    own = (await read('limit=1000')).events;
  });
  afterAll(() => api.close());

  const read = async (query: string, headers?: Record<string, string>) => {
    const { status, body } = await api.call('GET', `/events/log?${query}`, undefined, headers);
    expect([query, status]).toEqual([query, 200]);
    const page = body as { readonly events: readonly Shown[]; readonly next_cursor: string | null };
    // The reads of this spec are themselves recorded, about a second later.
    return { ...page, events: page.events.filter(({ type }) => type !== 'contents-read.v1') };
  };
  const workspaceOf = async (position: string) =>
    (await api.application.storedEvents.eventAt(position))?.metadata.workspaceId;

  it('are of the caller’s workspace only, even in streams that workspaces share', async () => {
    const hers = (await read('limit=1000', other)).events;
    const workspaces = await Promise.all(
      [own, hers].map(async (all) => new Set(await Promise.all(all.map(({ position }) => workspaceOf(position))))),
    );
    expect(workspaces.map(({ size }) => size)).toEqual([1, 1]);
    expect(workspaces[0]).not.toEqual(workspaces[1]);
    const shared = own.find(({ type }) => type === 'call-metered.v1')!.stream;
    expect(hers.some(({ stream }) => stream === shared)).toBe(true);
    expect(JSON.stringify(own)).not.toContain('hers ');
  });

  it('come oldest or newest first, page by page, each once', async () => {
    const positions = own.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted());
    for (const order of ['asc', 'desc']) {
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Awaited<ReturnType<typeof read>> = await read(
          `order=${order}&limit=2${cursor && `&cursor=${cursor}`}`,
        );
        expect(page.events.length).toBeLessThanOrEqual(2);
        pages.push(...page.events.map(({ position }) => position));
        cursor = page.next_cursor;
      }
      expect(pages).toEqual(order === 'asc' ? positions : positions.toReversed());
    }
  });

  it('are filtered by type, stream, actor and request, also combined', async () => {
    const [created] = (await read('type=project-created.v1')).events as [Shown];
    expect((await read('type=project-created.v1,project-deleted.v1')).events).toHaveLength(6);
    expect((await read(`stream=${created.stream}`)).events.map(({ type }) => type)).toEqual([
      'project-created.v1',
      'project-deleted.v1',
    ]);
    expect((await read(`correlation_id=${created.correlation_id}`)).events).toEqual([created]);
    const actor = encodeURIComponent(created.actor);
    expect((await read(`actor=${actor}&type=project-deleted.v1`)).events).toHaveLength(3);
    expect((await read(`actor=user:nobody`)).events).toEqual([]);
  });

  it('are filtered by time, bounds included', async () => {
    const at = own[3]!.occurred_at;
    const within = (query: string) => read(query).then(({ events }) => events.map(({ position }) => position));
    for (const order of ['asc', 'desc']) {
      const sorted = (events: readonly Shown[]) => {
        const positions = events.map(({ position }) => position);
        return order === 'asc' ? positions : positions.toReversed();
      };
      expect(await within(`order=${order}&since=${at}`)).toEqual(sorted(own.filter(({ occurred_at: on }) => on >= at)));
      expect(await within(`order=${order}&until=${at}`)).toEqual(sorted(own.filter(({ occurred_at: on }) => on <= at)));
    }
    expect(await within('since=2100-01-01')).toEqual([]);
    expect(await within('until=2000-01-01&order=desc')).toEqual([]);
  });

  const POSITIONS = 'its positions are not those of the embedded log';
  testEmbedded('are found by time in a long log without reading it whole', POSITIONS, async () => {
    const { storedEvents } = api.application;
    const [start, events] = [Date.parse('2031-01-01T00:00:00Z'), 300];
    const time = (n: number) => new Date(start + n * 1000).toISOString();
    const context = (n: number) => ({ ...systemContext('test', 'of nobody'), now: time(n) });
    await storedEvents.append(
      'project-times',
      NO_STREAM,
      Array.from({ length: events }, (_, n) =>
        envelope('project-times', { type: 'project-deleted.v1', data: { n } }, n, context(n)),
      ),
    );
    let reads = 0;
    const counted: Parameters<typeof positionBefore>[0] = {
      positions: storedEvents.positions,
      head: () => storedEvents.head(),
      readAll: (options) => {
        reads += 1;
        return storedEvents.readAll(options);
      },
    };
    for (const n of [1, 2, 150, 299]) {
      const { last, next } = await positionBefore(counted, time(n));
      expect((await storedEvents.eventAt(last!))?.data).toEqual({ n: n - 1 });
      expect((await storedEvents.eventAt(next!))?.data).toEqual({ n });
    }
    expect(reads).toBeLessThan(4 * 20);
  });

  testEmbedded("are refused for a cursor beyond the log's last position", POSITIONS, async () => {
    const { status, body } = await api.call('GET', `/events/log?cursor=${'9'.repeat(16)}`);
    expect([status, body.errors?.[0]]).toEqual([422, expect.objectContaining({ loc: ['query', 'cursor'] })]);
    expect(body.detail).toContain('beyond');
  });

  it.each([
    ['type=nothing.v1', 422, 'GET /events/types'],
    ['cursor=7', 422, 'digits'],
    ['limit=1001', 422, '1000'],
    ['order=up', 400, 'asc'],
    ['since=2030-01-02&until=2030-01-01', 422, 'until'],
    ['since=soon', 400, 'since'],
    ['from=1', 422, 'from'],
  ])('are refused for %s with %i', async (query, status, word) => {
    const { status: answered, body } = await api.call('GET', `/events/log?${query}`);
    expect([query, answered]).toEqual([query, status]);
    expect(JSON.stringify(body)).toContain(word);
  });
});
