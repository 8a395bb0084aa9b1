import { jest } from '@jest/globals';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';

const MAX = 2 * 1024 * 1024;

describeEmbedded('signed object addresses', 'those of S3 lead to S3', () => {
  let api: TestSystem;
  beforeAll(async () => {
    api = await startTestApi({ uploadMaxBytes: MAX, bodyMaxBytes: 1024 });
  });
  afterAll(() => api.close());

  let counter = 0;
  const address = async (): Promise<URL> => {
    const { body } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: `upload ${(counter += 1)}` });
    return new URL(body.presigned_url);
  };
  const stored = (url: URL) => api.application.ports.objectStore.stat(url.pathname.replace('/objects/', ''));
  const incoming = () => readdir(join(api.settings.dataDir, 'objects', 'incoming'));
  const put = (url: URL, body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body: body as string, headers });

  it.each([
    ['application/json', '{"not": "parsed"'],
    ['application/json', '{"__proto__": {}}'],
    ['text/plain', 'text'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['not a media type;;;', 'bytes'],
    ['application/x-ndjson', 'x'.repeat(100_000)],
  ])('store a body of type %j unchanged', async (type, body) => {
    const url = await address();
    const response = await put(url, body, { 'content-type': type });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    expect(await stored(url)).toMatchObject({ size: body.length });
  });

  it('accept a body without a type, an empty one, and a chunked one', async () => {
    const url = await address();
    expect((await put(url, Buffer.from('bytes'))).status).toBe(200);
    expect(await stored(url)).toMatchObject({ size: 5 });
    expect((await put(url, '')).status).toBe(200);
    expect(await stored(url)).toMatchObject({ size: 0 });
    const chunked = request(url, { method: 'PUT', headers: { 'content-type': 'application/json' } });
    for (let part = 0; part < 10; part += 1) chunked.write('{'.repeat(10_000));
    chunked.end();
    const [response] = (await once(chunked, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await stored(url)).toMatchObject({ size: 100_000 });
  });

  it('store a gzipped body as sent, and refuse other encodings with 415', async () => {
    const url = await address();
    const packed = gzipSync('{"text": "x"}');
    expect((await put(url, packed, { 'content-encoding': 'gzip' })).status).toBe(200);
    expect(await stored(url)).toMatchObject({ size: packed.length });
    for (const encoding of ['zstd', 'br', 'gzip, gzip', 'aws-chunked']) {
      const refused = await put(url, packed, { 'content-encoding': encoding });
      expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'gzip']);
      expect(await refused.json()).toEqual({ detail: expect.stringContaining(`"${encoding}"`) });
    }
  });

  it('refuse more bytes than allowed with 413, whether the length is declared or not, and store nothing', async () => {
    const url = await address();
    const told = await put(url, Buffer.alloc(MAX + 1));
    expect(told.status).toBe(413);
    expect(await told.json()).toMatchObject({ detail: expect.stringContaining(String(MAX)) });
    const chunked = request(url, { method: 'PUT' });
    const answer = once(chunked, 'response');
    for (let sent = 0; sent <= MAX; sent += 65_536) chunked.write(Buffer.alloc(65_536));
    chunked.end();
    const [response] = (await answer) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    response.resume();
    expect(await stored(url)).toBeNull();
    expect(await incoming()).toEqual([]);
    expect((await put(url, Buffer.alloc(MAX))).status).toBe(200);
  });

  it('are refused when any part was altered, and store nothing', async () => {
    const url = await address();
    const changes: ((copy: URL) => void)[] = [
      (copy) => (copy.pathname += 'x'),
      (copy) => (copy.pathname = '/objects/uploads/x/../../../../etc/passwd'),
      (copy) => (copy.pathname = '/objects/..%2f..%2fetc%2fpasswd'),
      (copy) => (copy.pathname = '/objects/'),
      (copy) => copy.searchParams.set('max', '99999999'),
      (copy) => copy.searchParams.set('expires', '9999999999'),
      (copy) => copy.searchParams.set('expires', '1'),
      (copy) => copy.searchParams.append('expires', '9999999999'),
      (copy) => copy.searchParams.delete('signature'),
      (copy) => (copy.search = ''),
    ];
    for (const change of changes) {
      const copy = new URL(url);
      change(copy);
      const response = await put(copy, 'x');
      expect([401, 403, 404]).toContain(response.status);
      expect(await response.json()).toHaveProperty('detail');
    }
    expect(await stored(url)).toBeNull();
    expect((await fetch(url)).status).toBe(403);
  });

  it('store nothing of an upload that breaks off', async () => {
    const url = await address();
    const socket = connect(Number(url.port), url.hostname);
    const head = [`PUT ${url.pathname}${url.search} HTTP/1.1`, 'host: x', 'content-length: 100000', '', ''].join(
      '\r\n',
    );
    socket.write(head + 'x'.repeat(5000));
    await eventually(async () => (await incoming()).length === 1);
    socket.destroy();
    await eventually(async () => (await incoming()).length === 0);
    expect(await stored(url)).toBeNull();
  });

  it('store nothing of an upload that breaks off before any of it is read', async () => {
    const url = await address();
    const arrival = once(api.app.getHttpServer(), 'request') as Promise<[IncomingMessage]>;
    const isOpen = jest.spyOn(api.application.storage, 'isOpenUpload');
    const socket = connect(Number(url.port), url.hostname);
    const broken = new Promise<void>((done) => {
      isOpen.mockImplementationOnce(async () => {
        socket.destroy();
        const [request] = await arrival;
        await eventually(() => Promise.resolve(request.closed));
        done();
        return true;
      });
    });
    socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\nxxxxx`);
    await broken;
    await eventually(async () => (await incoming()).length === 0);
    expect(await stored(url)).toBeNull();
  });

  it('serve an object under the requested file name', async () => {
    const { objectStore } = api.application.ports;
    await objectStore.put('jobs/1/model', Buffer.from('weights'));
    const url = await objectStore.presignGet('jobs/1/model', { expiresInSeconds: 60, fileName: 'Zoë (1).zip' });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Zo_ _1_.zip"; filename*=UTF-8''Zo%C3%AB%20(1).zip`,
    );
    expect(await response.text()).toBe('weights');
    await objectStore.delete('jobs/1/model');
    expect((await fetch(url)).status).toBe(404);
  });
});
