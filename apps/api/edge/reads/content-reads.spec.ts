import type { ContentsRead } from '#domain/content-read/index.js';
import { EventStoreUnavailableError, type EventToAppend } from '#ports/event-store/port.js';
import { ContentReads } from './content-reads.js';

const NEVER_BY_ITSELF_MS = 1_000_000;

describe('recording who read contents', () => {
  const appended: { readonly stream: string; readonly data: ContentsRead['data'] }[] = [];
  let isDown: boolean;
  let lost: number;
  let lines: readonly object[];
  let reads: ContentReads;
  beforeEach(() => {
    appended.length = 0;
    isDown = false;
    lost = 0;
    lines = [];
    const eventStore = {
      append: async (stream: string, _: unknown, events: readonly EventToAppend[]) => {
        if (isDown) throw new EventStoreUnavailableError('disk full');
        for (const { data } of events) appended.push({ stream, data: data as ContentsRead['data'] });
        return { revision: appended.length - 1, position: '' };
      },
    };
    const parts = {
      eventStore: eventStore as unknown as ConstructorParameters<typeof ContentReads>[0]['eventStore'],
      logger: { warn: (line: object) => void (lines = [...lines, line]) },
      metrics: { readsUnrecorded: (count: number) => void (lost += count) },
    };
    reads = new ContentReads(parts, NEVER_BY_ITSELF_MS);
  });

  const read = (resource: string, workspaceId = 'w1') =>
    reads.add({ workspaceId, actor: 'key:k1', resource, route: 'GET /inferences/:id' });

  it('writes one event for the reads of a workspace, with a count for each resource', async () => {
    for (const resource of ['call/1', 'call/2', 'call/1']) read(resource);
    read('call/3', 'w2');
    await reads.flush();
    expect(appended.map(({ data }) => data.reads.map(({ resource, count }) => [resource, count]))).toEqual([
      [
        ['call/1', 2],
        ['call/2', 1],
      ],
      [['call/3', 1]],
    ]);
    expect(appended.map(({ stream }) => stream.split('-')[1])).toEqual(['w1', 'w2']);
  });

  it('stores pending reads when the API closes', async () => {
    read('call/1');
    await reads.stop();
    expect(appended).toHaveLength(1);
    expect([lost, lines]).toEqual([0, []]);
  });

  it('retries reads that the log refused, once', async () => {
    isDown = true;
    read('call/1');
    await reads.flush();
    isDown = false;
    read('call/2');
    await reads.flush();
    await reads.stop();
    expect(appended.map(({ data }) => data.reads.map(({ resource }) => resource))).toEqual([['call/1'], ['call/2']]);
    expect(lost).toBe(0);
  });

  it('counts and logs the reads that could not be stored when the API closes', async () => {
    isDown = true;
    for (const resource of ['call/1', 'call/1', 'call/2']) read(resource);
    await reads.stop();
    expect([lost, lines]).toEqual([3, [{ event: 'reads-unrecorded' }]]);
  });

  it("keeps events within the log's size limit, and its memory bounded while the log refuses writes", async () => {
    isDown = true;
    for (let at = 0; at < 20_100; at += 1) read(`${at}${'\u0001'.repeat(600)}`);
    await reads.flush();
    expect(lost).toBe(100);
    isDown = false;
    await reads.flush();
    for (const { data } of appended) expect(JSON.stringify(data).length).toBeLessThan(1024 * 1024);
    expect(appended.length).toBeGreaterThan(10);
  });
});
