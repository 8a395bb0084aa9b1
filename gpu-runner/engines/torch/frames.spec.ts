import { Writable } from 'node:stream';
import { encodeFrame, FrameError, MAX_FRAME_BYTES, readFrames, writeFrame, type Message } from './frames.js';

const chunked = async function* (bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
const read = (bytes: Uint8Array, size = bytes.length) => Array.fromAsync(readFrames(chunked(bytes, size)));

describe('frames', () => {
  const messages = [{ type: 'log', message: 'Grüße, 世界 🌍' }, { type: 'heartbeat' }, { type: 'token', text: '' }];
  const bytes = Buffer.concat(messages.map(encodeFrame));

  it.each([1, 3, 7, 1_000])('are read as written, in chunks of %i bytes', async (size) => {
    expect(await read(bytes, size)).toEqual(messages);
  });

  it('of many chunks are joined once', async () => {
    const message = { type: 'log', message: 'x'.repeat(4_000_000) };
    expect(await read(encodeFrame(message), 64)).toEqual([message]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['longer than the limit', Buffer.from([0xff, 0xff, 0xff, 0xff]), /of 4294967295 bytes is longer than the 16777216/],
    ['that the stream cuts off', bytes.subarray(0, -1), /ended within a frame/],
    ['whose length the stream cuts off', bytes.subarray(0, 3), /ended within a frame/],
    ['without JSON', Buffer.from([0, 0, 0, 1, 0x7b]), /holds no JSON/],
    ['without a type', Buffer.from([0, 0, 0, 4, ...Buffer.from('null')]), /has no `type`/],
  ])('%s are refused', async (_, refused, message) => {
    await expect(read(refused)).rejects.toThrow(FrameError);
    await expect(read(refused)).rejects.toThrow(message);
  });

  it('longer than the limit are not written', () => {
    const message = { type: 'load', base: 'x'.repeat(MAX_FRAME_BYTES) } as Message;
    expect(() => encodeFrame(message)).toThrow(/a load of \d+ bytes is longer/);
  });

  it('are written as fast as the pipe accepts them', async () => {
    let take = (): void => undefined;
    const pipe = new Writable({ write: (_chunk, _encoding, taken) => (take = taken) });
    let isTaken = false;
    const written = writeFrame(pipe, messages[0]!).then(() => (isTaken = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    take();
    expect(await written).toBe(true);
  });
});
