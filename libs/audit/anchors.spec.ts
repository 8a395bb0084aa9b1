import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { Anchors, type AnchorOptions } from './anchors.js';
import { readCheckpoint } from './checkpoint.js';
import { openKeeper, type CheckpointPlace } from './kept-checkpoints.js';
import { AuditedLog, signer } from './log.fixture.js';
import { SmallAuthority } from './time-stamp-authority.fixture.js';
import { certificatesOf } from './timestamps.js';

const never = () => AbortSignal.timeout(300_000);

/** An address that takes checkpoints, and gives back the newest. */
class SmallKeeper {
  notes: string[] = [];
  status = 200;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SmallKeeper> {
    const server = createServer((request, response) => {
      void (async () => {
        const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
        if (request.method === 'POST' && keeper.status === 200) keeper.notes.push(body);
        response.writeHead(keeper.status).end(request.method === 'GET' ? keeper.notes.at(-1) : '');
      })();
    });
    const keeper = new SmallKeeper(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return keeper;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('checkpoints that are kept outside', () => {
  let log: AuditedLog;
  let outside: string;
  let web: SmallKeeper;
  let egress: Egress;
  beforeEach(async () => {
    log = await AuditedLog.open();
    outside = await mkdtemp(join(tmpdir(), 'anneal-kept-'));
    web = await SmallKeeper.start();
    egress = openEgress({ trusted: [new URL(web.url).origin] });
  });
  afterEach(async () => {
    await egress.close();
    await web.close();
    await log.close();
    await rm(outside, { recursive: true });
  });

  const anchors = (options: Partial<AnchorOptions>, everyMs = 0) =>
    new Anchors({ place: null, timestamps: null, ...options }, log.files, egress, everyMs);
  const extended = async (stream: string) => {
    await log.appendMany(stream, 3);
    return (await log.extend())!.note;
  };
  const keptAt = async (place: CheckpointPlace) => {
    const keeper = await openKeeper(place, egress);
    const kept = await keeper.kept(signer.name, never());
    await keeper.close();
    return kept;
  };
  const places = (): readonly CheckpointPlace[] => [
    { kind: 'folder', directory: outside },
    { kind: 'web', url: web.url },
  ];

  it.each([0, 1])('vouch for the tree that continues them, and betray one that does not (place %i)', async (at) => {
    const place = places()[at]!;
    const own = anchors({ place });
    for (const stream of ['things-1', 'things-2']) await own.take(await extended(stream), false, never());
    expect(own.status()).toEqual({ checkpoints: { size: 7, error: null }, timestamps: null });
    await own.close();
    await extended('things-3');
    const kept = await keptAt(place);
    expect(kept.heads.map(({ size }) => size)).toEqual(at === 0 ? [4, 7] : [7]);
    expect(await log.verify([], [], [signer], { kept })).toMatchObject({
      findings: [],
      vouched: 7,
      kept: kept.heads.length,
    });
    log.tamper(`UPDATE events SET data = '{}', checksum = NULL WHERE position = 3`);
    await log.objects.deletePrefix('audit/');
    await log.extend();
    expect(await log.verify()).toMatchObject({ findings: [] });
    expect((await log.verify([], [], [signer], { kept })).findings).toMatchObject([
      { problem: 'tree', what: expect.stringMatching(/^the kept checkpoint of \d events is not continued/) },
    ]);
    log.tamper('DELETE FROM events WHERE position > 5');
    await log.objects.deletePrefix('audit/');
    await log.extend();
    expect((await log.verify([], [], [signer], { kept })).findings[0]).toMatchObject({
      problem: 'tree',
      what: expect.stringMatching(/not continued/),
    });
  });

  it('are copied from time to time, and at the end', async () => {
    const place = places()[0]!;
    const own = anchors({ place }, 300_000);
    await own.take(await extended('things-1'), false, never());
    await own.take(await extended('things-2'), false, never());
    expect((await keptAt(place)).heads).toHaveLength(1);
    const last = await extended('things-3');
    await own.take(last, true, never());
    await own.close();
    const { heads, newest } = await keptAt(place);
    expect(heads.map(({ size }) => size)).toEqual([4, 10]);
    expect(newest).toBe(last);
    expect(await anchors({ place }).newest(signer.name, never())).toBe(last);
  });

  it('are copied later by a place that refuses now, which is told', async () => {
    const own = anchors({ place: places()[1]! }, 300_000);
    web.status = 503;
    const note = await extended('things-1');
    await own.take(note, false, never());
    expect(own.status().checkpoints).toEqual({ size: null, error: 'it answered 503' });
    web.status = 200;
    await own.take(note, false, never());
    expect(own.status().checkpoints).toEqual({ size: 4, error: null });
    expect(web.notes).toEqual([note]);
    await own.close();
  });

  it('have a time stamp beside them, which verification reads', async () => {
    const authority = await SmallAuthority.start();
    const allowed = openEgress({ trusted: [new URL(authority.url).origin] });
    try {
      const options = { place: places()[0]!, timestamps: authority.url };
      const own = new Anchors(options, log.files, allowed, 0);
      const note = await extended('things-1');
      await own.take(note, false, never());
      expect(own.status().timestamps).toEqual({ size: 4, error: null });
      await own.close();
      const { size, root } = readCheckpoint(note);
      const name = `${String(size).padStart(16, '0')}-${Buffer.from(root).toString('hex')}.tsr`;
      const kept = await readFile(join(outside, 'objects', signer.name, name));
      expect(await authority.takes(kept, note)).toBe(true);
      const authorities = certificatesOf(await readFile(authority.certificates, 'utf8'));
      const stamped = async (by: readonly string[]) =>
        (await log.verify([], [], [signer], { authorities: by })).stamped;
      expect(await stamped(authorities)).toMatchObject({ size: 4, by: 'CN=Small authority', trusted: true });
      expect(await stamped([])).toMatchObject({ trusted: false });
      // A stamp that belongs to another checkpoint.
      await log.objects.put(`audit/timestamps/${name}`, Buffer.from('forged'));
      expect((await log.verify()).findings).toMatchObject([{ problem: 'tree', what: 'its answer is no time stamp' }]);
    } finally {
      await allowed.close();
      await authority.close();
    }
  });
});
