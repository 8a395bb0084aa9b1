import { randomBytes } from 'node:crypto';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { HubTokens } from '#application/hub-tokens.js';
import { datasetDecider, type DatasetVersion } from '#domain/dataset/index.js';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { Hub } from '#models/hub/index.js';
import type { FolderObjectStore } from '#ports/object-store/folder/index.js';
import type { ProcessManagerHost } from '#log/process-manager/host.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { HubServer } from '#test/hub-server/index.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { forgetLeftBehind, hubImports } from './process-manager.js';

const workspaceId = 'w1';
const stream = datasetStreamId(workspaceId, 'pulled');
const TOKEN = 'hf_ada';
const rows = '{"text":"a","label":"x"}\n'.repeat(100);

describe('imports from the hub', () => {
  let worker: TestWorker;
  let application: Application;
  let objectStore: FolderObjectStore;
  let server: HubServer;
  let egress: Egress;
  let hub: Hub;
  let tokens: HubTokens;
  const secret = new SecretKey(randomBytes(32));

  beforeEach(async () => {
    server = await HubServer.start();
    server.accounts.set(TOKEN, { name: 'ada', mayWrite: true });
    server.add('ada/set', { 'train.jsonl': rows });
    egress = openEgress({ trusted: [server.url] });
    hub = new Hub(server.url, egress);
    worker = await openTestWorker();
    ({ application, objectStore } = worker);
    tokens = new HubTokens(application.ports.coordination, secret);
  });
  afterEach(async () => {
    await worker.close();
    await egress.close();
    await server.close();
  });

  /** @returns the version's id */
  async function request({ withToken = false, at = new Date() } = {}): Promise<string> {
    const token = withToken ? TOKEN : null;
    const { source: from } = await hub.find({ repoId: 'ada/set', revision: null, config: null, split: null, token });
    const { state } = await application.execute(
      datasetDecider,
      stream,
      {
        type: 'import-version',
        workspaceId,
        name: 'pulled',
        datasetType: 'classification',
        format: null,
        fileName: 'train.jsonl',
        columnMapping: {},
        projectId: null,
        from,
      },
      { ...systemContext('test', workspaceId), now: at.toISOString() },
    );
    const { versionId } = state.versions.at(-1)!;
    if (token !== null) await tokens.keep(versionId, token);
    return versionId;
  }

  function start(giveUpMs?: number): ProcessManagerHost {
    const work = { hub, secret, maxBytes: 1_000_000, ...(giveUpMs !== undefined && { giveUpMs }) };
    return worker.run(hubImports(application, work));
  }

  const settled = (id: string) =>
    worker.until(
      () => versionOf(id),
      ({ status }) => status !== 'importing',
    );
  const versionOf = async (id: string): Promise<DatasetVersion> =>
    (await application.load(datasetDecider, stream)).versions.find(({ versionId }) => versionId === id)!;
  const stored = () => Array.fromAsync(objectStore.list(`datasets/${workspaceId}/`));
  const isDownload = (path: string) => path.includes('/resolve');

  it('seal the files as they were at the request, even if they changed since', async () => {
    const versionId = await request();
    server.add('ada/set', { 'train.jsonl': 'changed' });
    start();
    const version = await settled(versionId);
    if (version.status !== 'uploading') throw new Error(version.status);
    const content = Buffer.concat(await Array.fromAsync(await objectStore.get(version.source.key)));
    expect(content.toString()).toBe(rows);
    expect((await stored()).map(({ key }) => key)).toEqual([version.source.key]);
  });

  it('join several files, with the rows that cannot be read for the processing to refuse or to leave out', async () => {
    server.add('ada/set', {
      'train.jsonl': '{"text":"a","label":"x"}\nno row\n{"text":"b","label":"x"}\n',
      'train-1.csv': 'text,label\nc,x\nd,x,1\n',
    });
    const versionId = await request();
    start();
    const version = await settled(versionId);
    if (version.status !== 'uploading') throw new Error(version.status);
    const content = Buffer.concat(await Array.fromAsync(await objectStore.get(version.source.key)));
    const lines = content.toString().trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines).toEqual(
      expect.arrayContaining([
        '["unreadable","has 3 cells, the first row has 2 (in train-1.csv)",["d","x","1"]]',
        expect.stringMatching(/^\["unreadable","is not JSON: .* \(in train.jsonl\)","no row"\]$/),
        '{"text":"a","label":"x"}',
        '{"text":"b","label":"x"}',
        '{"text":"c","label":"x"}',
      ]),
    );
  });

  it('continue with another worker when one is stopped midway', async () => {
    const versionId = await request({ withToken: true });
    const inTheMiddle = Promise.withResolvers<void>();
    server.fault = ({ address }) => {
      if (!isDownload(address.pathname)) return false;
      inTheMiddle.resolve();
      return true;
    };
    const first = start();
    await inTheMiddle.promise;
    await first.close();
    expect(await tokens.find(versionId)).toBe(TOKEN);
    expect(await stored()).toEqual([]);
    server.fault = null;
    start();
    expect((await settled(versionId)).status).toBe('uploading');
  });

  it('retry while the hub fails, and are given up if it fails for long', async () => {
    let answers = 0;
    server.fault = (exchange) => {
      if (!isDownload(exchange.address.pathname)) return false;
      answers += 1;
      if (answers > 2) return false;
      exchange.refuse(503, null, 'no');
      return true;
    };
    const versionId = await request();
    start();
    expect((await settled(versionId)).status).toBe('uploading');
    answers = 0;
    const late = await request({ at: new Date(Date.now() - 60_000) });
    await worker.stop();
    start(30_000);
    expect(await settled(late)).toMatchObject({ status: 'failed', reason: expect.stringContaining('503') });
  });

  it('fail if the token has been deleted', async () => {
    const versionId = await request({ withToken: true });
    await tokens.forget(versionId);
    start();
    expect(await settled(versionId)).toMatchObject({ status: 'failed', reason: expect.stringContaining('token') });
  });

  it("fail above a dataset's limits, even if the hub announced less", async () => {
    server.add('ada/set', { 'train.jsonl': Buffer.alloc(1_000_001, 'a') });
    const versionId = await request();
    start();
    expect(await settled(versionId)).toMatchObject({ status: 'failed', reason: expect.stringContaining('1000000') });
    expect(await stored()).toEqual([]);
  });

  it('leave no token behind: the next worker removes those of a dead one', async () => {
    const [ended, open, unasked] = [await request({ withToken: true }), await request({ withToken: true }), 'unasked'];
    await tokens.keep(unasked, TOKEN);
    const abandon = { type: 'abandon-version', workspaceId, versionId: ended, reason: 'x' } as const;
    await application.execute(datasetDecider, stream, abandon, systemContext('test', workspaceId));
    await forgetLeftBehind(application, tokens);
    expect(await tokens.find(unasked)).toBe(TOKEN);
    await forgetLeftBehind(application, tokens, 0);
    expect([await tokens.find(ended), await tokens.find(open), await tokens.find(unasked)]).toEqual([
      null,
      TOKEN,
      null,
    ]);
  });
});
