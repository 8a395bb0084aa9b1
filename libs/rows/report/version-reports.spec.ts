import { ChildDiedError } from '#primitives/confined-process/index.js';
import { eventually } from '#test/support/eventually.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { VersionReports, type ReportedVersion } from './version-reports.js';

const objects: Readonly<Record<string, string>> = {
  rows: '{"text":"a","label":"x"}\n{"text":"b","label":"x"}\n',
  held: '{"text":"B","label":"x"}\n',
  damaged: '{"text":"a","label":"x"}\n{"te',
};
const version = (key: string, rows: number) =>
  ({
    object: { key, size: objects[key]!.length, sha256: key },
    datasetType: 'ner',
    contents: { rows },
  }) as ReportedVersion;

describe('reports on versions', () => {
  const read: string[] = [];
  const store = {
    async get(key: string) {
      read.push(key);
      // A byte at a time: lines of the two versions do not mix, however they arrive.
      return (async function* () {
        for (const byte of Buffer.from(objects[key]!)) yield Buffer.of(byte);
      })();
    },
  } as unknown as ObjectStore;
  const { signal } = new AbortController();

  it('are computed once for the same rows, and again with another held-out version', async () => {
    const reports = new VersionReports();
    const ask = (heldOut: ReportedVersion | null) => reports.report(store, version('rows', 2), heldOut, 'w', signal);
    const first = await ask(null);
    expect(first).toMatchObject({ rows: 2, heldOut: null });
    const before = read.length;
    expect(await ask(null)).toBe(first);
    expect(read.length).toBe(before);
    const { heldOut } = await ask(version('held', 1));
    expect(heldOut).toMatchObject({ rows: 1, leaks: { total: 1, shown: [{ row: 2, heldOutRow: 1, isExact: false }] } });
    expect(read.slice(before)).toEqual(['held', 'rows']);
  });

  it('fail if not all rows were read, and are not cached', async () => {
    const reports = new VersionReports();
    const ask = () => reports.report(store, version('damaged', 2), null, 'w', signal);
    for (const _ of [1, 2]) await expect(ask()).rejects.toThrow(new ChildDiedError('it did not read all rows'));
  });

  it('of one workspace leave capacity for those of another', async () => {
    const [begun, gone, opened] = [new Array<string>(), new AbortController(), Promise.withResolvers<void>()];
    const closed = {
      async get(key: string) {
        begun.push(key);
        await opened.promise;
        return store.get(key);
      },
    } as unknown as ObjectStore;
    const reports = new VersionReports();
    const asked = [
      reports.report(closed, version('rows', 2), null, 'w', gone.signal),
      reports.report(closed, version('damaged', 2), null, 'w', gone.signal),
      reports.report(closed, version('held', 1), null, 'v', gone.signal),
    ];
    await eventually(() => begun.length >= 2);
    expect(begun.toSorted()).toEqual(['held', 'rows']);
    gone.abort();
    opened.resolve();
    await Promise.allSettled(asked);
  });

  it('end when no client waits for them', async () => {
    const gone = new AbortController();
    gone.abort();
    const asked = new VersionReports().report(store, version('rows', 2), null, 'w', gone.signal);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});
