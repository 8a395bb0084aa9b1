import { startThread, ThreadCallError, ThreadStoppedError, type GroupSample } from './thread.js';

const module = import.meta.resolve('./echo.fixture.js');

describe('a thread of services', () => {
  it('answers each call with its own result, whatever its service', async () => {
    const thread = await startThread([
      { name: 'a', module, options: { prefix: 'a' } },
      { name: 'b', module, options: { prefix: 'b' } },
    ]);
    const answers = await Promise.all([
      thread.call('a', 'echo', [1]),
      thread.call('b', 'echo', [2]),
      thread.call('a', 'later', [3]),
      thread.call('a', 'echo', [4]),
    ]);
    expect(answers).toEqual(['a1', 'b2', 'a3', 'a4']);
    await thread.close();
  });

  it('passes calls of one event-loop turn to the service together', async () => {
    const groups: GroupSample[] = [];
    const thread = await startThread([{ name: 'a', module, options: { prefix: '', grouped: true } }], {
      onGroup: (group) => groups.push(group),
    });
    const sizes = await Promise.all(Array.from({ length: 50 }, () => thread.call<number>('a', 'size', [])));
    expect(sizes).toEqual(Array.from({ length: 50 }, () => 50));
    expect(groups.map(({ service, calls }) => ({ service, calls }))).toEqual([{ service: 'a', calls: 50 }]);
    await thread.close();
  });

  it("keeps an error's name, code and fields", async () => {
    const thread = await startThread([{ name: 'a', module, options: { prefix: '' } }]);
    const error: unknown = await thread.call('a', 'fail', []).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ThreadCallError);
    expect(error).toMatchObject({ errorName: 'TypeError', code: 'ERR_ECHO', message: 'no', details: { at: 7 } });
    await thread.close();
  });

  it('receives what a service emits', async () => {
    const thread = await startThread([{ name: 'a', module, options: { prefix: '' } }]);
    const heard: unknown[] = [];
    const stop = thread.listen('a', 'news', (message) => heard.push(message));
    await thread.call('a', 'emit', ['news', { n: 1 }]);
    await thread.call('a', 'emit', ['other', { n: 2 }]);
    stop();
    await thread.call('a', 'emit', ['news', { n: 3 }]);
    expect(heard).toEqual([{ n: 1 }]);
    await thread.close();
  });

  it('fails only the call whose arguments or answer cannot be transferred', async () => {
    const thread = await startThread([{ name: 'a', module, options: { prefix: 'a' } }]);
    const results = await Promise.allSettled([
      thread.call('a', 'echo', [1]),
      thread.call('a', 'echo', [() => 2]),
      thread.call('a', 'function', []),
      thread.call('a', 'echo', [4]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await thread.close();
  });

  it('fails to start with the error of the failing service', async () => {
    const started = startThread([{ name: 'a', module, options: { prefix: '', broken: true } }]);
    await expect(started).rejects.toMatchObject({ code: 'ERR_ECHO' });
  });

  it('completes calls made before it closed, and refuses later ones', async () => {
    const thread = await startThread([{ name: 'a', module, options: { prefix: 'a' } }]);
    const before = thread.call('a', 'echo', [1]);
    const closed = thread.close();
    await expect(before).resolves.toBe('a1');
    await closed;
    await expect(thread.call('a', 'echo', [2])).rejects.toBeInstanceOf(ThreadStoppedError);
  });

  it('fails the running calls when the thread dies, and reports it once', async () => {
    const failures: Error[] = [];
    const onFailure = (error: Error) => failures.push(error);
    const thread = await startThread([{ name: 'a', module, options: { prefix: 'a' } }], { onFailure });
    await expect(thread.call('a', 'die', [])).rejects.toMatchObject({ name: 'ThreadStoppedError', sent: true });
    await expect(thread.call('a', 'echo', [1])).rejects.toMatchObject({ name: 'ThreadStoppedError', sent: false });
    await thread.close();
    expect(failures).toHaveLength(1);
  });

  it('does not report a failure after it was closed', async () => {
    const failures: Error[] = [];
    const onFailure = (error: Error) => failures.push(error);
    const thread = await startThread([{ name: 'a', module, options: { prefix: 'a' } }], { onFailure });
    await thread.close();
    expect(failures).toEqual([]);
  });
});
