import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readStoredRows } from '#ports/event-store/sqlite/index.js';
import { formatVerifier, openCheckpoint, signCheckpoint, signerOf } from './checkpoint.js';
import { AuditedLog, signer } from './log.fixture.js';
import { leafHash } from './tree/index.js';
import { verifyLog } from './verify.js';

const NO_CALLS = { calls: 0, contents: 0, contentsUnchecked: 0, cutOff: 0, isOtherSecret: false };
const WEIGHTS = {
  name: 'weights',
  sha256: 'f6666a5ef7a3d4ac7ab2ab4ca1f15dc1e4aa4ef7bfcd38ad59e6ec5b2e1bb95b',
  size: 7,
};

describe('the verification of a log', () => {
  let log: AuditedLog;
  beforeEach(async () => {
    log = await AuditedLog.open();
  });
  afterEach(() => log.close());

  /** A log of some hundred events, a job with an artifact, a dataset, and the job's log. */
  async function filled(): Promise<void> {
    await log.appendMany('things-1', 300);
    const { sha256, size } = await log.objects.put('jobs/j1/1/artifact/weights', Buffer.from('weights'));
    const artifact = { objectPrefix: 'jobs/j1/1/artifact', files: [{ ...WEIGHTS, sha256, size }] };
    await log.append('job-j1', -1, 'training-job-completed.v1', { jobId: 'j1', artifact });
    const object = await log.objects.put('datasets/w1/v1/rows-1.jsonl', Buffer.from('{}\n'));
    await log.append('dataset-d1', -1, 'dataset-version-ready.v1', { versionId: 'v1', object: { ...object } });
    await log.append('joblog-j1', -1, 'job-log-appended.v1', { lines: ['a', 'b'] });
    await log.append('joblog-j1', 0, 'job-log-appended.v1', { lines: ['c'] });
    await log.extend();
  }
  const problems = async (earlier: readonly string[] = []) =>
    (await log.verify(earlier)).findings.map(({ problem, what }) => `${problem}: ${what}`);

  it('accepts an unchanged log, however often it was continued', async () => {
    await log.appendMany('things-0', 20);
    const first = (await log.extend())!;
    await filled();
    await log.append('things-0', 19, 'thing-done.v1', {});
    const { findings, ...counts } = await log.verify([first.note]);
    expect(findings).toEqual([]);
    expect(counts).toEqual({
      size: 325,
      same: 325,
      erased: 0,
      uncovered: 1,
      vouched: 21,
      kept: 0,
      stamped: null,
      objects: 2,
      restarts: 0,
      begunAfter: null,
      ...NO_CALLS,
    });
  });

  it('reports how many events are done, and never more than exist', async () => {
    await log.appendMany('things-1', 300);
    await log.extend();
    const told: (readonly [number, number])[] = [];
    await verifyLog({
      ...{
        events: readStoredRows(log.directory),
        objects: log.objects,
        verifiers: [signer],
        onFinding: () => undefined,
      },
      onProgress: (done, total) => told.push([done, total]),
    });
    expect(told.slice(0, 2)).toEqual([
      [0, 301],
      [256, 301],
    ]);
    expect(Math.max(...told.map(([done]) => done))).toBe(301);
  });

  it('leaves no partial tile beside its full one, and signs nothing without new events', async () => {
    await log.appendMany('things-1', 100);
    const first = await log.extend();
    expect(await log.extend()).toEqual(first);
    await log.appendMany('things-2', 200);
    await log.extend();
    const keys = (await Array.fromAsync(log.objects.list('audit/'))).map(({ key }) => key);
    expect(keys).toEqual([
      'audit/checkpoint',
      'audit/salts/000',
      'audit/salts/001.p/45',
      'audit/tile/0/000',
      'audit/tile/0/001.p/45',
      'audit/tile/1/000.p/1',
      'audit/tile/entries/000',
      'audit/tile/entries/001.p/45',
    ]);
    expect(await problems()).toEqual([]);
  });

  it.each([
    [
      'changed data',
      `UPDATE events SET data = replace(data, 'Done', 'Gone') WHERE position = 9`,
      /^changed: .*revision 7/,
    ],
    [
      'a forged actor',
      `UPDATE events SET metadata = replace(metadata, 'user:ada', 'user:eve') WHERE position = 9`,
      /^changed/,
    ],
    [
      'a removed event',
      'DELETE FROM events WHERE position = 9',
      /^gap: revision 8 of things-1 follows 6\nremoved: 1 event of things-1/,
    ],
    [
      'a cut tail',
      'DELETE FROM events WHERE position > 290',
      /^removed: 11 events of things-1, from here on\nremoved: 1 event of job-j1/,
    ],
    [
      'an event of another type',
      `INSERT INTO kinds (id, category, type) VALUES (99, 'things', 'thing-undone.v1');
       UPDATE events SET kind = 99 WHERE position = 9`,
      /^changed: .*stands as thing-undone\.v1/,
    ],
    [
      'an added event',
      `DELETE FROM events WHERE position = 9;
       INSERT INTO events SELECT 9, stream, 500, kind, 'x', data, metadata, null FROM events WHERE position = 10`,
      /^changed: .*stands as thing-done\.v1 in things-1, revision 500/m,
    ],
    [
      'an event before the first position',
      `INSERT INTO events SELECT -5, stream, 300, kind, 'x', data, metadata, null FROM events WHERE position = 9`,
      /^gap: [^]*added: thing-done\.v1 in things-1/,
    ],
    [
      'an event whose number is beyond those that are written',
      `INSERT INTO events SELECT -9223372036854775808, stream, 300, kind, 'x', data, metadata, null
         FROM events WHERE position = 9`,
      /^changed: the file cannot be read: no event was stored at -9223372036854776000/,
    ],
    [
      'a type of another category, which hides its events from filters',
      `UPDATE kinds SET category = 'others' WHERE type = 'thing-done.v1'`,
      /^changed: thing-done\.v1 in things-1, revision 0: it stands as {2}in things-1/m,
    ],
    [
      'an added stream among the removed ones',
      `INSERT INTO streams (id, name) VALUES (99, 'things-9');
       INSERT INTO removed VALUES (99);
       INSERT INTO events SELECT -1, 99, 0, kind, 'x', data, metadata, null FROM events WHERE position = 9`,
      /^added: thing-done\.v1 in things-9/,
    ],
    [
      'a changed id',
      `UPDATE events SET id = 'another' WHERE position = 200`,
      /^changed: thing-done\.v1 in things-1, revision 198: its id, data or metadata/,
    ],
  ])('finds %s', async (_what, sql, found) => {
    await filled();
    log.tamper(sql);
    expect((await problems()).join('\n')).toMatch(found);
  });

  it('gives the place of a finding', async () => {
    await filled();
    log.tamper(`UPDATE events SET data = '{}' WHERE position = 9`);
    expect((await log.verify()).findings).toEqual([
      {
        problem: 'changed',
        position: '0000000000000009',
        what: 'thing-done.v1 in things-1, revision 7: its id, data or metadata (actor, time) is another',
      },
    ]);
  });

  it('finds a gap in a stream that was renumbered', async () => {
    await filled();
    log.tamper('UPDATE events SET revision = 900 WHERE position = 301');
    expect((await problems()).join('\n')).toMatch(/gap: revision 900 of things-1 follows 298/);
  });

  it('finds a swapped file and a replaced artifact', async () => {
    await filled();
    await log.objects.put('jobs/j1/1/artifact/weights', Buffer.from('WEIGHTS'));
    await log.objects.delete('datasets/w1/v1/rows-1.jsonl');
    expect(await problems()).toEqual([
      'object: jobs/j1/1/artifact/weights is not the one that was stored: its hash is another',
      'object: datasets/w1/v1/rows-1.jsonl is missing',
    ]);
  });

  it('finds a swapped file beside predictions that are stored unencrypted', async () => {
    const put = (name: string) => log.objects.put(`evaluations/e1/1/${name}`, Buffer.from(name));
    const [all, counts, facts] = [await put('predictions.jsonl'), await put('counts.f64'), await put('facts.jsonl')];
    const predictions = { ...all, objectKey: 'evaluations/e1/1/predictions.jsonl' };
    const hashes = { countsSha256: counts.sha256, factsSha256: facts.sha256 };
    await log.append('evaluation-e1', -1, 'evaluation-completed.v1', { predictions: { ...predictions, ...hashes } });
    await log.extend();
    const { findings, objects } = await log.verify();
    expect([findings, objects]).toEqual([[], 3]);
    await log.objects.put('evaluations/e1/1/facts.jsonl', Buffer.from('others'));
    expect(await problems()).toEqual([
      'object: evaluations/e1/1/facts.jsonl is not the one that was stored: its hash is another',
    ]);
  });

  it('distinguishes logged deletions from removed data', async () => {
    await filled();
    await log.append('job-j1', 0, 'training-job-deleted.v1', { jobId: 'j1', deletedAt: '2030-01-01T00:00:00.000Z' });
    await log.store.deleteStream('joblog-j1');
    await log.objects.deletePrefix('jobs/j1/');
    const { findings, erased } = await log.verify();
    expect([findings, erased]).toEqual([[], 2]);
    await log.extend();
    expect(await problems()).toEqual([]);
    log.tamper(`DELETE FROM events WHERE stream = (SELECT id FROM streams WHERE name = 'dataset-d1')`);
    expect(await problems()).toEqual(['removed: 1 event of dataset-d1, from here on']);
  });

  it('distinguishes an expired job log from a removed one', async () => {
    await filled();
    await log.append('job-j1', 0, 'training-job-log-erased.v1', { jobId: 'j1', erasedAt: '2030-01-01T00:00:00.000Z' });
    await log.store.deleteStream('joblog-j1');
    const { findings, erased } = await log.verify();
    expect([findings, erased]).toEqual([[], 2]);
  });

  it('does not accept a missing job log without a deletion of the job', async () => {
    await filled();
    await log.store.deleteStream('joblog-j1');
    expect(await problems()).toEqual(['removed: 2 events of joblog-j1, from here on']);
  });

  it('finds a truncated or rebuilt tree by a checkpoint kept elsewhere', async () => {
    await filled();
    const kept = (await log.files.checkpoint())!;
    log.tamper('DELETE FROM events WHERE position > 290');
    await log.objects.deletePrefix('audit/');
    await log.extend();
    expect(await problems()).toEqual([]);
    expect((await problems([kept])).join()).toMatch(
      /^tree: the given checkpoint of 305 events is not continued: .* cut off$/,
    );
    await log.appendMany('things-9', 100);
    await log.extend();
    expect((await problems([kept])).join()).toMatch(/^tree: .* made anew/);
  });

  it('says what is there and what is missing where most of the log is gone, and with it the names of its keys', async () => {
    await filled();
    log.tamper('DELETE FROM events WHERE position < 250');
    const { findings, same, size } = await log.verify([], [], []);
    expect({ same, size }).toEqual({ same: 56, size: 305 });
    expect(findings.map(({ problem, what }) => `${problem}: ${what}`)).toEqual([
      'tree: a public key is needed to check who signed the checkpoint: give one, since the log names none',
      'gap: revision 248 of things-1 follows -1',
      expect.stringMatching(/^removed: 1 event of log-.*, from here on$/),
      'removed: 248 events of things-1, from here on',
    ]);
  });

  it('says what is missing where the file is cut so that it cannot be opened', async () => {
    await filled();
    await log.store.close();
    await truncate(join(log.directory, 'log.db'), 8192);
    await rm(join(log.directory, 'log.db-wal'), { force: true });
    expect((await problems()).join('\n')).toMatch(
      /^changed: the file cannot be read: .*\n[^]*removed: 300 events of things-1, from here on\n/,
    );
  });

  it('accepts a replaced key for what it signed before its replacement, and for nothing that covers that', async () => {
    await filled();
    const before = (await log.files.checkpoint())!;
    const next = signerOf(signer.name, Buffer.alloc(32, 2));
    const [replaced, verifier] = [formatVerifier(signer), formatVerifier(next)];
    await log.append('audit-keys', -1, 'audit-key-made.v1', { verifier, number: 2, replaced });
    await log.extend(next);
    const verified = await log.verify([before], [], [signer, next]);
    expect([verified.findings, verified.uncovered]).toEqual([[], 0]);
    const { size, root } = openCheckpoint((await log.files.checkpoint())!, [next]);
    await log.files.putCheckpoint(signCheckpoint({ origin: signer.name, size, root }, signer));
    const { findings } = await log.verify([before], [], [signer, next]);
    expect(findings.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^the checkpoint of 306 events is signed by a key that was replaced at position 306:/),
    ]);
  });

  it('finds a damaged tile, a damaged entry and a missing bundle', async () => {
    await filled();
    const tile = (await log.files.stored('tile/0/000'))!;
    await log.objects.put('audit/tile/0/000', Buffer.concat([tile.subarray(32), tile.subarray(0, 32)]));
    expect((await problems()).join('\n')).toMatch(/tree: its entry is not the one of the tree\n.*another root/s);
    await log.objects.put('audit/tile/0/000', tile);
    await log.objects.delete('audit/tile/entries/000');
    expect(await problems()).toEqual(['tree: audit/tile/entries/000 is missing']);
  });

  it('accepts no checkpoint of another key', async () => {
    await filled();
    const forged = { origin: signer.name, size: 1, root: leafHash(Buffer.from('x')) };
    const note = signCheckpoint(forged, signer).replace(/— .*/, '— anneal/test AAAA');
    await log.files.putCheckpoint(note);
    expect((await problems()).join()).toMatch(/^tree: the checkpoint has no signature by the public key/);
  });

  it('refuses to continue a tree whose files do not match its checkpoint', async () => {
    await filled();
    await log.objects.put('audit/tile/0/001.p/49', Buffer.alloc(49 * 32));
    await log.append('things-2', -1, 'thing-done.v1', {});
    await expect(log.extend()).rejects.toThrow('the tiles have another root');
  });
});
