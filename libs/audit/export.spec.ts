import { exportLines, type Exported, type ExportedEvent, type ExportScope } from './export.js';
import type { Finding } from './finding.js';
import { signerOf, formatVerifier } from './checkpoint.js';
import { AuditedLog, signer } from './log.fixture.js';
import { storedPages } from './stored-pages.js';
import { verifyExport } from './verify-export.js';

const ALL: ExportScope = { stream: null, from: null, to: null };
const STREAM: ExportScope = { ...ALL, stream: 'things-1' };

describe('an export of the log', () => {
  let log: AuditedLog;
  beforeAll(async () => {
    log = await AuditedLog.open();
    await log.appendMany('things-1', 300);
    await log.append('joblog-1', -1, 'job-log-appended.v1', { lines: ['gone'] });
    await log.append('things-2', -1, 'thing-done.v1', { text: 'said' });
    await log.extend();
    await log.append('things-1', 299, 'thing-done.v1', { text: 'newer' });
  });
  afterAll(() => log.close());

  async function* events({ stream }: ExportScope, isErased: boolean): AsyncGenerator<Exported> {
    for await (const page of storedPages(log.store, null))
      for (const event of page)
        if (stream === null || event.stream === stream) yield { event, withheld: isErased ? 'erased' : null };
  }
  const exported = async (scope = STREAM, isErased = false) =>
    Array.fromAsync(
      exportLines({
        ...{ files: log.files, note: (await log.files.checkpoint())!, scope, isWhole: scope.stream === null },
        ...{ events: events(scope, isErased), verifiers: [signer], publicKeys: [formatVerifier(signer)] },
        now: '2030-01-01T00:00:00.000Z',
      }),
    );
  async function verified(lines: readonly string[], verifiers = [signer]) {
    const findings: Finding[] = [];
    const all = (async function* () {
      for (const line of lines) yield line.trimEnd();
    })();
    const counts = await verifyExport({ lines: all, verifiers, onFinding: (finding) => findings.push(finding) });
    return { ...counts, found: findings.map(({ problem, what }) => `${problem}: ${what}`).join('\n') };
  }
  const changed = (line: string, change: Partial<Record<keyof ExportedEvent, unknown>>) =>
    `${JSON.stringify({ ...(JSON.parse(line) as object), ...change })}\n`;

  it('verifies by the public key alone, and lists what is newer than its checkpoint', async () => {
    const one = await exported();
    expect(await verified(one)).toEqual({
      ...{ size: 303, events: 301, proven: 300, withheld: 0, unproven: 1 },
      found: '',
    });
    expect(await verified([...one, '\n'])).toMatchObject({ proven: 300, found: '' });
    expect(JSON.parse(one.at(-2)!)).toMatchObject({ unproven: 'newer_than_checkpoint', revision: 300 });
    expect(await verified(await exported(ALL))).toMatchObject({ events: 304, proven: 303, unproven: 1, found: '' });
  });

  it('contains the digest of an event whose content was erased, instead of its texts and salt', async () => {
    const lines = await exported(STREAM, true);
    for (const line of lines.slice(1, -1))
      for (const field of ['id', 'data', 'metadata', 'salt']) expect(JSON.parse(line)).not.toHaveProperty(field);
    expect(await verified(lines)).toMatchObject({ proven: 300, withheld: 301, found: '' });
  });

  it.each<[string, (lines: string[]) => void, RegExp]>([
    [
      'a changed byte',
      (lines) => (lines[9] = lines[9]!.replace('Done', 'Gone')),
      /^changed: line 10: thing-done.v1 in things-1, revision 8/,
    ],
    ['a forged actor', (lines) => (lines[9] = lines[9]!.replace('user:ada', 'user:eve')), /^changed: line 10:/],
    ['another type', (lines) => (lines[9] = changed(lines[9]!, { type: 'thing-undone.v1' })), /^changed: line 10:/],
    ['a proof of another leaf', (lines) => (lines[9] = changed(lines[9]!, { leaf_index: 10 })), /^changed: line 10:/],
    [
      'a removed proof',
      (lines) => (lines[9] = changed(lines[9]!, { inclusion_proof: undefined })),
      /^changed: .*missing/,
    ],
    [
      'a proof that is marked as pending',
      (lines) => (lines[9] = changed(lines[9]!, { unproven: 'newer_than_checkpoint' })),
      /^changed: .*newer/,
    ],
    ['a removed line', (lines) => lines.splice(9, 1), /^gap: line 10: revision 9 of things-1 follows 7/],
    ['a removed first line', (lines) => lines.splice(1, 1), /^gap: line 2: revision 1 of things-1 follows -1/],
    ['a cut end', (lines) => lines.splice(-2), /^removed: .*the file is cut/],
    [
      'a line of another stream',
      (lines) => (lines[9] = changed(lines[9]!, { stream: 'things-3' })),
      /added: .*things-3/,
    ],
    [
      'another checkpoint',
      (lines) => (lines[0] = lines[0]!.replace('303', '302')),
      /^tree: line 1: the checkpoint has no signature/,
    ],
    ['a line that is not JSON', (lines) => (lines[9] = 'x\n'), /^changed: line 10: it is not a JSON object/],
    ['a missing head', (lines) => lines.shift(), /^tree: line 1: it is not the first line/],
  ])('is refused with %s', async (_what, tamper, found) => {
    const lines = await exported();
    tamper(lines);
    expect((await verified(lines)).found).toMatch(found);
  });

  it('is refused with another key', async () => {
    const other = signerOf(signer.name, Buffer.alloc(32, 9));
    expect((await verified(await exported(), [other])).found).toMatch(/^tree: line 1: .*no signature/);
  });

  it('of the whole log contains every leaf, even of events that the log has lost', async () => {
    const lines = await exported(ALL);
    const at = lines.findIndex((line) => line.includes('things-2'));
    expect((await verified(lines.toSpliced(at, 1))).found).toMatch(/removed: .*the last one here is number 302/);
    expect((await verified(lines.toSpliced(5, 1))).found).toMatch(/^removed: line 6: 1 of the tree's events/);
    await log.store.deleteStream('joblog-1');
    const later = await exported(ALL);
    const gone = later.find((line) => line.includes('joblog-1'))!;
    expect(JSON.parse(gone)).toMatchObject({ withheld: 'not_in_log', digest: expect.any(String) });
    expect(await verified(later)).toMatchObject({ proven: 303, withheld: 1, found: '' });
  });
});
