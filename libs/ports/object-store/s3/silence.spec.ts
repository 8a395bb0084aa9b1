import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObjectStoreUnavailableError, type ObjectStore } from '../port.js';
import { openS3ObjectStore } from './index.js';

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' };

describe('an S3 server that accepts connections and', () => {
  const before = { ...process.env };
  let server: Server;
  let store: ObjectStore;

  beforeAll(() => void Object.assign(process.env, CREDENTIALS));
  afterAll(() => {
    process.env = before;
  });
  afterEach(async () => {
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function opened(answering: Server, answerMs: number): Promise<void> {
    server = answering;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = encodeURIComponent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    store = await openS3ObjectStore(`s3://bucket?endpoint=${endpoint}&region=us-east-1`, { answerMs });
  }

  it('stays silent is unavailable within the deadline, for every operation', async () => {
    await opened(createServer(), 200);
    await expect(store.get('rows')).rejects.toBeInstanceOf(ObjectStoreUnavailableError);
    await expect(store.stat('rows')).rejects.toBeInstanceOf(ObjectStoreUnavailableError);
    await expect(store.seal('upload', 'source')).rejects.toBeInstanceOf(ObjectStoreUnavailableError);
  });

  it('has a bucket with object lock is sent the checksum that it demands, where the caller asks for it', async () => {
    const sent: unknown[] = [];
    const taking = createServer((request, response) => {
      sent.push(request.headers['x-amz-checksum-sha256'] ?? null);
      request.resume().on('end', () => response.writeHead(200, { etag: '"1"' }).end());
    });
    await opened(taking, 5_000);
    const content = Buffer.from('checkpoint');
    await store.put('kept', content, { sendChecksum: true });
    await store.put('other', content);
    expect(sent).toEqual([createHash('sha256').update(content).digest('base64'), null]);
  });

  it('has started to send an object may take longer than that', async () => {
    const slow = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '2', etag: '"1"' });
      response.write('a');
      setTimeout(() => response.end('b'), 1_500);
    });
    await opened(slow, 1_000);
    expect(Buffer.concat(await Array.fromAsync(await store.get('rows'))).toString()).toBe('ab');
  });
});
