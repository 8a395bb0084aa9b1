import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import type { FolderObjectStore } from '#ports/object-store/folder/index.js';
import { evolve } from '#log/projector/handlers.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { ABANDONED_MS, abandonedUploads } from './process-manager.js';

const workspaceId = 'w1';

describe('an upload that is never processed', () => {
  let worker: TestWorker;
  let application: Application;
  let objectStore: FolderObjectStore;

  beforeEach(async () => {
    worker = await openTestWorker();
    ({ application, objectStore } = worker);
  });
  afterEach(() => worker.close());

  async function begin(name: string) {
    const stream = datasetStreamId(workspaceId, name);
    const { state } = await application.execute(
      datasetDecider,
      stream,
      {
        ...{ type: 'initialize-version', workspaceId, name, datasetType: 'ner', format: null },
        ...{ fileName: null, columnMapping: {}, projectId: null },
      },
      systemContext('test', workspaceId),
    );
    const { versionId, uploadKey } = state.versions[0]!;
    await objectStore.put(uploadKey, Buffer.from('{}'));
    return { stream, versionId, uploadKey };
  }
  const seal = async ({ stream, versionId }: Awaited<ReturnType<typeof begin>>) =>
    application.execute(
      datasetDecider,
      stream,
      { type: 'seal-version', workspaceId, versionId, source: { key: 'k', size: 2, sha256: 's' } },
      systemContext('test', workspaceId),
    );
  const versionOf = async ({ stream }: { readonly stream: string }) =>
    (await application.load(datasetDecider, stream)).versions[0]!;
  const uploads = async () => (await Array.fromAsync(objectStore.list('uploads/'))).map(({ key }) => key);
  /** Returns what a leader that starts now has done after `afterMs` milliseconds. */
  async function sweep(afterMs: number): Promise<readonly string[]> {
    const manager = abandonedUploads(application);
    let state = manager.initial;
    for await (const event of application.ports.eventStore.readAll({ filter: { categories: ['dataset'] } }))
      state = evolve(manager.on, state, event);
    const pending = manager.pending(state, Date.now() + afterMs);
    for (const command of pending) await manager.execute(command, AbortSignal.timeout(300_000));
    return pending.map((command) => manager.key(command));
  }

  it('fails after a day, and its bytes are removed; a processed one stays', async () => {
    const [open, processed] = [await begin('open'), await begin('processed')];
    await seal(processed);
    expect(await sweep(ABANDONED_MS - 60_000)).toEqual([]);
    expect(await sweep(ABANDONED_MS)).toEqual([open.versionId]);
    expect(await versionOf(open)).toMatchObject({ status: 'failed', reason: expect.stringContaining('within a day') });
    expect((await versionOf(processed)).status).toBe('uploading');
    expect(await uploads()).toEqual([processed.uploadKey]);
    expect(await sweep(2 * ABANDONED_MS)).toEqual([]);
  });

  it('is kept if it is processed at the last moment', async () => {
    const open = await begin('open');
    const manager = abandonedUploads(application);
    await seal(open);
    const late = { ...open, workspaceId, initializedAt: 0 };
    await manager.execute(late, AbortSignal.timeout(300_000));
    expect((await versionOf(open)).status).toBe('uploading');
  });
});
