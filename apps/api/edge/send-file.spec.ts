import { describeEmbedded } from '#test/deployments/test-api.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { trips } from '#test/support/trips.js';

type Headers = Record<string, string>;

describe('partial downloads of a dataset', () => {
  let api: TestApi;
  let whole: string;
  let etag: string;
  const ask = (headers: Headers = {}, method = 'GET', query = '') =>
    fetch(`${api.url}/felix/datasets/trips/1/download${query}`, {
      method,
      headers: { 'x-api-key': api.key, ...headers },
    });
  beforeAll(async () => {
    api = await sharedTestApi();
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(50));
    const first = await ask();
    etag = first.headers.get('etag')!;
    whole = await first.text();
    expect(first.headers.get('accept-ranges')).toBe('bytes');
  });
  afterAll(() => api.close());

  it.each([
    ['bytes=0-99', 0, 100],
    ['bytes=100-', 100, undefined],
    ['bytes=-100', -100, undefined],
    ['bytes=0-0', 0, 1],
    ['BYTES = 7-9', 7, 10],
    ['bytes=10-99999999999999999999', 10, undefined],
    ['bytes=-99999999', 0, undefined],
  ])('%s is 206 with these bytes', async (range, start, end) => {
    const expected = whole.slice(start, end);
    const answer = await ask({ range });
    expect([answer.status, await answer.text()]).toEqual([206, expected]);
    const first = start < 0 ? whole.length + start : start;
    expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${first + expected.length - 1}/${whole.length}`);
    expect(answer.headers.get('content-length')).toBe(String(expected.length));
    expect(answer.headers.get('etag')).toBe(etag);
    expect(answer.headers.get('content-disposition')).toContain('trips-v1.jsonl');
  });

  it.each(['bytes=0-1,5-9', 'bytes=9-5', 'bytes=-', 'bytes=a-b', 'lines=0-9', '0-9'])(
    '%s is answered with the whole file',
    async (range) => {
      const answer = await ask({ range });
      expect([answer.status, await answer.text()]).toEqual([200, whole]);
    },
  );

  it('with a range past the end, or of no bytes, are 416 with the length', async () => {
    for (const range of [`bytes=${whole.length}-`, 'bytes=99999999-', 'bytes=-0']) {
      const answer = await ask({ range });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
      expect(await answer.json()).toEqual({ detail: expect.stringContaining(String(whole.length)) });
    }
  });

  it("are given only if the client's part is of the current content", async () => {
    const range = 'bytes=10-';
    expect((await ask({ range, 'if-range': etag })).status).toBe(206);
    for (const other of ['"another"', `W/${etag}`, 'Mon, 23 Nov 2026 10:00:00 GMT']) {
      const answer = await ask({ range, 'if-range': other });
      expect([answer.status, await answer.text()]).toEqual([200, whole]);
    }
    const unchanged = await ask({ range, 'if-none-match': etag });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  });

  it('are not given to HEAD, which reports the whole length', async () => {
    const answer = await ask({ range: 'bytes=0-9' }, 'HEAD');
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(answer.headers.get('content-length')).toBe(String(whole.length));
    expect([answer.headers.get('accept-ranges'), answer.headers.get('etag')]).toEqual(['bytes', etag]);
  });

  it.each([
    ['csv', /^text,/],
    ['parquet', /^PAR1/],
  ])('are not given for %s, which is generated for each answer, and the headers say so', async (format, begins) => {
    const answer = await ask({ range: 'bytes=10-' }, 'GET', `?format=${format}`);
    expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, 'none']);
    expect(await answer.text()).toMatch(begins);
    const head = await ask({}, 'HEAD', `?format=${format}`);
    expect([head.status, head.headers.get('accept-ranges'), head.headers.get('content-length')]).toEqual([
      200,
      'none',
      null,
    ]);
  });
});

describeEmbedded('partial downloads from presigned addresses', 'S3 serves its own', () => {
  let api: TestApi;
  let address: string;
  const content = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251));
  const put = (bytes: Buffer) => api.application.ports.objectStore.put('jobs/1/model.tar.gz', bytes);
  const ask = (headers: Headers = {}, method = 'GET') => fetch(address, { method, headers });
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
  beforeAll(async () => {
    api = await sharedTestApi();
    const { objectStore } = api.application.ports;
    address = await objectStore.presignGet('jobs/1/model.tar.gz', { expiresInSeconds: 600, fileName: 'model.tar.gz' });
  });
  beforeEach(() => put(content));
  afterAll(() => api.close());

  it('resume where they broke off', async () => {
    const first = await ask();
    const part: Uint8Array[] = [];
    for await (const chunk of first.body!) {
      part.push(chunk as Uint8Array);
      break;
    }
    const begun = Buffer.concat(part);
    expect(begun.length).toBeLessThan(content.length);
    const rest = await ask({ range: `bytes=${begun.length}-`, 'if-range': first.headers.get('etag')! });
    expect(rest.status).toBe(206);
    expect(Buffer.concat([begun, await bytesOf(rest)])).toEqual(content);
  });

  it('start over if the file has changed', async () => {
    const etag = (await ask({}, 'HEAD')).headers.get('etag')!;
    await put(Buffer.from('another'));
    const answer = await ask({ range: 'bytes=3-', 'if-range': etag });
    expect([answer.status, await answer.text()]).toEqual([200, 'another']);
    expect(answer.headers.get('etag')).not.toBe(etag);
  });

  it('are 416 past the end, 304 if unchanged, and have their length for HEAD', async () => {
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
    const beyond = await ask({ range: `bytes=${content.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${content.length}`]);
    expect(await beyond.json()).toEqual({ detail: expect.any(String) });
    const unchanged = await ask({ 'if-none-match': head.headers.get('etag')! });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  });

  it('of an empty file are the whole file', async () => {
    await put(Buffer.alloc(0));
    const last = await ask({ range: 'bytes=-5' });
    expect([last.status, await last.text()]).toEqual([200, '']);
    expect((await ask({ range: 'bytes=0-' })).status).toBe(416);
  });
});
