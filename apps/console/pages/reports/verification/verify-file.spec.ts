import { exportLines, type Exported, type ExportScope } from '#audit/export.js';
import { formatVerifier, signerOf } from '#audit/checkpoint.js';
import { AuditedLog, signer } from '#audit/log.fixture.js';
import { providePrimitives, type Primitives } from '#audit/primitives.js';
import { storedPages } from '#audit/stored-pages.js';
import { browserPrimitives } from './primitives.js';
import { verifyFile, type Given } from './verify-file.js';

const KEY = formatVerifier(signer);
const ALL: ExportScope = { stream: null, from: null, to: null };

describe('the verification of an export in a browser', () => {
  let log: AuditedLog;
  let older: string;
  let text: string;
  let before: Primitives | null;
  beforeAll(async () => {
    before = providePrimitives(browserPrimitives);
    log = await AuditedLog.open();
    await log.appendMany('things-1', 20);
    older = (await log.extend())!.note;
    await log.appendMany('things-2', 5);
    await log.extend();
    text = await exported(ALL);
  });
  afterAll(async () => {
    providePrimitives(before);
    await log.close();
  });

  async function* events({ stream }: ExportScope): AsyncGenerator<Exported> {
    for await (const page of storedPages(log.store, null))
      for (const event of page) if (stream === null || event.stream === stream) yield { event, withheld: null };
  }
  const exported = async (scope: ExportScope) => {
    const lines = exportLines({
      ...{ files: log.files, note: (await log.files.checkpoint())!, scope, isWhole: scope.stream === null },
      ...{ events: events(scope), verifiers: [signer], publicKeys: [KEY], now: '2030-01-01T00:00:00.000Z' },
    });
    return (await Array.fromAsync(lines)).join('');
  };
  const verify = (changed: string, given: Partial<Given> = {}) =>
    verifyFile({ file: new Blob([changed]), keys: '', checkpoint: '', ...given }, () => {});
  const edited = (edit: (lines: string[]) => void): string => {
    const lines = text.trimEnd().split('\n');
    edit(lines);
    return `${lines.join('\n')}\n`;
  };
  const inLine = (number: number, from: RegExp | string, to: string) =>
    edited((lines) => {
      const line = lines[number]!.replace(from, to);
      expect(line).not.toBe(lines[number]);
      lines[number] = line;
    });

  it('passes a genuine export, with kept key and checkpoint', async () => {
    const checkpoint = (await log.files.checkpoint())!;
    let read = 0;
    const file = new Blob([text]);
    const result = await verifyFile({ file, keys: KEY, checkpoint }, (bytes) => (read = bytes));
    expect(result).toMatchObject({ problems: 0, events: 26, proven: 26, size: 26, kept: 'same', keyed: true });
    expect(read).toBe(file.size);
    expect(await verify(text)).toMatchObject({ problems: 0, kept: 'none', keyed: false });
    expect(await verify(await exported({ ...ALL, stream: 'things-2' }))).toMatchObject({ problems: 0, events: 5 });
    expect(await verify(text.replaceAll('\n', '\r\n'))).toMatchObject({ problems: 0, events: 26 });
  });

  it('says of a kept checkpoint whether it is of another size, and finds one that the export contradicts', async () => {
    expect(await verify(text, { checkpoint: older })).toMatchObject({ problems: 0, kept: 'other-size' });
    const other = await AuditedLog.open();
    try {
      await other.appendMany('things-1', 25);
      const { note } = (await other.extend())!;
      const { problems, findings } = await verify(text, { checkpoint: note });
      expect([problems, findings]).toMatchObject([
        1,
        [{ problem: 'tree', what: expect.stringContaining('made anew') }],
      ]);
      await other.appendMany('things-2', 1);
      const { findings: cut } = await verify(text, { checkpoint: (await other.extend())!.note });
      expect(cut).toMatchObject([{ problem: 'tree', what: expect.stringContaining('cut off') }]);
    } finally {
      await other.close();
    }
  });

  it.each([
    ['a changed text', () => inLine(7, 'Done', 'Gone'), 'changed', /^line 8: thing-done\.v1 in things-1, revision 5/],
    ['a changed actor', () => inLine(3, 'user:ada', 'user:eve'), 'changed', /^line 4: .*revision 1/],
    ['a changed type', () => inLine(2, 'thing-done.v1', 'thing-lost.v1'), 'changed', /^line 3/],
    ['a changed proof', () => inLine(5, /"inclusion_proof":\["./, '"inclusion_proof":["/'), 'changed', /^line 6/],
    ['a removed event', () => edited((lines) => lines.splice(4, 1)), 'removed', /^line 5: 1 of the tree's events/],
    ['a removed end', () => edited((lines) => lines.pop()), 'removed', /the last line/],
    ['an event that stands twice', () => edited((lines) => lines.splice(4, 0, lines[4]!)), 'changed', /^line 6/],
    ['a line behind the end', () => edited((lines) => lines.push(lines[1]!)), 'added', /behind the end/],
    ['a changed size of the tree', () => inLine(0, '\\n26\\n', '\\n25\\n'), 'tree', /no signature/],
    ['a line that is no JSON', () => edited((lines) => (lines[9] = '{')), 'changed', /^line 10: it is not a JSON/],
    ['another file', () => 'hello\n', 'changed', /^line 1/],
  ])('names the first wrong event: %s', async (_, change, problem, what) => {
    const { problems, findings } = await verify(change());
    expect(problems).toBeGreaterThan(0);
    expect(findings[0]).toMatchObject({ problem, what: expect.stringMatching(what) });
  });

  it('finds an export that another key signed', async () => {
    const { findings } = await verify(text, { keys: formatVerifier(signerOf('anneal/test', Buffer.alloc(32, 2))) });
    expect(findings[0]).toMatchObject({ problem: 'tree', what: expect.stringContaining('no signature') });
  });

  it('refuses what is no key, no checkpoint, or a Parquet file, in words', async () => {
    await expect(verify(text, { keys: 'x' })).rejects.toThrow('NAME+ID+KEY');
    await expect(verify(text, { checkpoint: 'x' })).rejects.toThrow('no signed note');
    await expect(verify('PAR1…')).rejects.toThrow('Parquet');
  });
});
