import { countRequests } from './requests.js';

const CHAT = '/v1/chat/completions';
const MIB = 1024 * 1024;

/** A file in chunks, which counts how many were read. */
function file(...chunks: readonly (string | Buffer)[]) {
  const read = { chunks: 0 };
  const content = async function* (): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) {
      read.chunks += 1;
      yield await Promise.resolve(Buffer.from(chunk));
    }
  };
  return { read, content: content() };
}

const request = (custom_id: string, extra = '1') =>
  `{"custom_id":"${custom_id}","method":"POST","url":"${CHAT}","body":{"model":"m","extra":${extra}}}\n`;

describe('the requests of a batch', () => {
  it('are counted correctly however the file is split into chunks', async () => {
    const text = request('a') + request('b');
    expect(await countRequests(file(text.slice(0, 30), text.slice(30, 120), text.slice(120)).content, CHAT)).toBe(2);
  });

  it('may be separated by any number of blank lines', async () => {
    const { content } = file(Buffer.alloc(2 * MIB, '\n'), request('a'));
    expect(await countRequests(content, CHAT)).toBe(1);
  });

  it('may be nested no deeper than those of the route', async () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await countRequests(file(request('a', deep(60))).content, CHAT)).toBe(1);
    const beyond = file(request('a'), request('b', deep(100_000))).content;
    await expect(countRequests(beyond, CHAT)).rejects.toThrow(/line 2: .*nested more than 64 levels/);
  });

  it('may have no more values than those of the route', async () => {
    const texts = file(request('a', `[${Array.from({ length: 30_000 }, () => '""').join()}]`)).content;
    await expect(countRequests(texts, CHAT)).rejects.toThrow(/line 1: .*more than 25000 values/);
  });

  it('may be no longer than those of the route; the rest of a longer line is not read', async () => {
    const endless = Array.from({ length: 40 }, () => Buffer.alloc(MIB, 'a'));
    const { content, read } = file(request('a'), ...endless);
    await expect(countRequests(content, CHAT)).rejects.toThrow(/line 2: is longer than 16777216 bytes/);
    expect(read.chunks).toBe(18);
  });
});
