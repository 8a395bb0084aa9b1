import { openEgress, type Egress } from '#primitives/egress/index.js';
import { COSIGNATURE, openCheckpoint, parseVerifier } from './checkpoint.js';
import { cosignatureLine, cosignedAt } from './cosignature.js';
import { AuditedLog, signer } from './log.fixture.js';
import { SmallWitness } from './witness.fixture.js';
import { parseWitness, Witnesses } from './witnesses.js';

describe('witnesses of a log', () => {
  let log: AuditedLog;
  let witness: SmallWitness;
  let egress: Egress;
  beforeEach(async () => {
    log = await AuditedLog.open();
    witness = await SmallWitness.start(async () => [signer]);
    egress = openEgress({ trusted: [witness.url] });
  });
  afterEach(async () => {
    await egress.close();
    await witness.close();
    await log.close();
  });

  const cosigning = () => new Witnesses([{ url: witness.url, key: witness.key }], egress);
  const submit = (witnesses: Witnesses, note: string) =>
    witnesses.submit({ files: log.files, note, verifiers: [signer], signal: AbortSignal.timeout(300_000) });
  const extended = async (stream: string, events: number) => {
    await log.appendMany(stream, events);
    return (await log.extend())!.note;
  };

  it('cosign each checkpoint as the continuation of the previous one', async () => {
    const witnesses = cosigning();
    for (const [stream, events] of Object.entries({ 'things-1': 3, 'things-2': 300, 'things-3': 1 })) {
      const note = await extended(stream, events);
      const cosigned = await submit(witnesses, note);
      expect(cosigned.startsWith(note)).toBe(true);
      expect(cosignedAt(cosigned, witness.verifier)).toBeInstanceOf(Date);
      expect(openCheckpoint(cosigned, [signer])).toEqual(openCheckpoint(note, [signer]));
    }
    expect(witness.statuses).toEqual([200, 200, 200]);
    expect(witnesses.status()).toEqual([{ host: new URL(witness.url).host, size: 305, error: null }]);
  });

  it('report the size that they have seen, and receive the proof from that size', async () => {
    await submit(cosigning(), await extended('things-1', 5));
    const cosigned = await submit(cosigning(), await extended('things-2', 300));
    expect(witness.statuses).toEqual([200, 409, 200]);
    expect(cosignedAt(cosigned, witness.verifier)).not.toBeNull();
  });

  it('are asked once for each checkpoint', async () => {
    const witnesses = cosigning();
    const cosigned = await submit(witnesses, await extended('things-1', 5));
    expect(await submit(witnesses, cosigned)).toBe(cosigned);
    expect(witness.statuses).toEqual([200]);
  });

  it('detect a tree whose end was cut off', async () => {
    await submit(cosigning(), await extended('things-1', 50));
    log.tamper('DELETE FROM events WHERE position > 20');
    await log.objects.deletePrefix('audit/');
    const note = (await log.extend())!.note;
    await expect(submit(cosigning(), note)).rejects.toThrow(
      /has seen a tree of 51 events, and this one has 20: its end was cut off/,
    );
  });

  it('do not cosign a tree that was rebuilt with other events', async () => {
    await submit(cosigning(), await extended('things-1', 50));
    log.tamper(`UPDATE events SET data = '{}', checksum = NULL WHERE position = 9`);
    await log.objects.deletePrefix('audit/');
    const witnesses = cosigning();
    const note = await extended('things-2', 10);
    expect(await submit(witnesses, note)).toBe(note);
    expect(witnesses.status()).toMatchObject([{ size: null, error: expect.stringMatching(/continuation/) }]);
  });

  it('are trusted only by the key configured for them', async () => {
    const other = 'witness.example/w1+c6b4a1f5+' + witness.key.split('+').slice(2).join('+');
    expect(() => parseWitness({ url: witness.url, key: other })).toThrow('id of another key');
    const note = await extended('things-1', 5);
    const line = cosignatureLine(
      note,
      { ...parseVerifier(witness.key, COSIGNATURE), privateKey: signer.privateKey },
      new Date(),
    );
    expect(cosignedAt(`${note}${line}\n`, witness.verifier)).toBeNull();
  });

  it('may be addresses that are only notified, and one that does not answer does not affect the others', async () => {
    const down = { url: 'http://127.0.0.1:1/', key: null };
    const witnesses = new Witnesses([down, { url: `${witness.url}/told`, key: null }], egress);
    const note = await extended('things-1', 5);
    expect(await submit(witnesses, note)).toBe(note);
    expect(witness.told).toEqual([note]);
    expect(witnesses.status()).toMatchObject([
      { size: null, error: expect.stringMatching(/did not answer/) },
      { size: 6, error: null },
    ]);
  });

  it('can be required by the verification of the log', async () => {
    const note = await extended('things-1', 5);
    const demanded = async () => (await log.verify([], [witness.verifier])).findings.map(({ what }) => what);
    expect(await demanded()).toEqual(['the checkpoint is not cosigned by witness.example/w1']);
    await log.files.putCheckpoint(await submit(cosigning(), note));
    expect(await demanded()).toEqual([]);
    expect((await log.verify()).findings).toEqual([]);
    // The next checkpoint continues the tree of one that was cosigned.
    await log.append('things-1', 4, 'thing-done.v1', {});
    await log.extend();
    expect((await log.verify()).findings).toEqual([]);
  });
});
