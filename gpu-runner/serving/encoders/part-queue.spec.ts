import { describe, expect, it } from '@jest/globals';
import { MAX_WAITING, PartQueue, type QueuedPart } from './part-queue.js';

describe('parts that wait for the threads', () => {
  const scripted = (threads = 1) => {
    const begun: string[] = [];
    const open: { readonly name: string; readonly end: (error?: Error) => void }[] = [];
    const dropped: number[] = [];
    const queue = new PartQueue(threads, (call) => dropped.push(call));
    const part = (name: string, cost = 4_096): QueuedPart<string> => ({
      cost,
      run: () => {
        begun.push(name);
        return new Promise((resolve, reject) => {
          open.push({ name, end: (error) => (error ? reject(error) : resolve(name)) });
        });
      },
    });
    const parts = (name: string, count: number, cost?: number) =>
      Array.from({ length: count }, (_, index) => part(`${name}${index}`, cost));
    const end = async (error?: Error) => {
      open.shift()?.end(error);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { queue, begun, dropped, open, parts, end };
  };

  it('go to a thread at once, whatever another workspace has waiting', () => {
    const { queue, begun, parts } = scripted();
    void queue.run('a', parts('a', 16, 50_000));
    void queue.run('b', parts('b', 1, 50));
    expect(begun).toEqual(['a0', 'b0']);
  });

  it('of a large call go one at a time to each thread', async () => {
    const { queue, begun, parts, end } = scripted(2);
    const answered = queue.run('a', parts('a', 5, 50_000));
    expect(begun).toEqual(['a0', 'a1']);
    for (let at = 0; at < 5; at += 1) await end();
    expect(await answered).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  });

  it("of a small call are not blocked by their own workspace's large call", () => {
    const { queue, begun, parts } = scripted();
    void queue.run('a', parts('large', 2, 50_000));
    void queue.run('a', parts('small', 1, 50));
    expect(begun).toEqual(['large0', 'small0']);
  });

  it('of small calls go many at a time', () => {
    const { queue, begun, parts } = scripted();
    for (let call = 0; call < 100; call += 1) void queue.run('a', parts('a', 1, 100));
    expect(begun).toHaveLength(40);
  });

  it('alternate between the calls of one workspace', async () => {
    const { queue, begun, parts, end } = scripted();
    void queue.run('a', parts('large', 3));
    void queue.run('a', parts('small', 1));
    for (let at = 0; at < 3; at += 1) await end();
    expect(begun).toEqual(['large0', 'large1', 'small0', 'large2']);
  });

  it('are not started once their caller has left, and the threads drop those that were', async () => {
    const { queue, begun, dropped, parts, end } = scripted();
    const stop = new AbortController();
    const answered = queue.run('a', parts('a', 10), stop.signal);
    const after = queue.run('a', parts('b', 1));
    stop.abort(new Error('gone'));
    await expect(answered).rejects.toThrow('gone');
    await end();
    await end();
    expect(await after).toEqual(['b0']);
    expect(begun).toEqual(['a0', 'b0']);
    expect(dropped).toEqual([1]);
  });

  it('are not started once one of their call has failed', async () => {
    const { queue, begun, parts, end } = scripted();
    const answered = queue.run('a', parts('a', 10));
    await Promise.all([expect(answered).rejects.toThrow('no'), end(new Error('no'))]);
    expect(begun).toEqual(['a0']);
  });

  it('are refused if too much of their workspace is waiting, and only then', async () => {
    const { queue, begun, parts } = scripted();
    void queue.run('a', parts('a', 3, MAX_WAITING));
    expect(await queue.run('a', parts('more', 1))).toEqual({ waiting: 2 * MAX_WAITING, mostWaiting: MAX_WAITING });
    void queue.run('b', parts('b', 1));
    expect(begun).toEqual(['a0', 'b0']);
  });
});
