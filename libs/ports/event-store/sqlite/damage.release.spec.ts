import fc from 'fast-check';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import { exactly, LogDamagedError, NO_STREAM, StreamNotFoundError, type RecordedEvent } from '../port.js';
import { LOG_FILE } from './database.js';
import { LogUnusableError, openSqliteEventReader, openSqliteEventStore, type SqliteEventReader } from './index.js';
import { event } from './store.fixture.js';

const STREAMS = 40;
const PAGE_BYTES = 4_096;

describe('a damaged log', () => {
  let directory: string;
  let intact: Buffer;
  let log: readonly RecordedEvent[];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-damage-'));
    const store = await openSqliteEventStore({ directory });
    for (let n = 0; n < STREAMS; n += 1) {
      const data = { text: `first of ${n}. ${`${n} `.repeat(200)}` };
      await store.append(`thing-${n}`, NO_STREAM, [{ ...event(), data }, event(), event()]);
      await store.append(`thing-${n}`, exactly(2), [{ ...event(), type: 'other.v1' }]);
    }
    log = await Array.fromAsync(store.readAll());
    await store.close();
    intact = await readFile(file());
  });
  afterAll(() => rm(directory, { recursive: true }));
  beforeEach(() => writeFile(file(), intact));

  const file = () => join(directory, LOG_FILE);
  const flip = async (offset: number, bits = 0xff) => {
    const bytes = Buffer.from(intact);
    bytes[offset]! ^= bits;
    await writeFile(file(), bytes);
  };

  const change = (sql: string) => {
    const database = new DatabaseSync(file());
    database.exec(sql);
    database.close();
  };

  async function reading<T>(use: (reader: SqliteEventReader) => Promise<T>): Promise<T> {
    const reader = openSqliteEventReader({ directory });
    try {
      return await use(reader);
    } finally {
      await reader.close();
    }
  }
  const all = () => reading((reader) => Array.fromAsync(reader.readAll()));
  const check = () =>
    reading((reader) => Array.fromAsync(reader.check({ signal: AbortSignal.timeout(300_000) }))).then((messages) =>
      messages.filter(({ kind }) => kind === 'damage'),
    );
  const stream = (name: string) => reading((reader) => Array.fromAsync(reader.readStream(name)));

  it("is detected by checksum if one bit of an event has changed, and the event's place is named", async () => {
    await flip(intact.indexOf('first of 7.'), 0x02);
    const damaged = log.find((each) => each.stream === 'thing-7')!;
    await expect(stream('thing-7')).rejects.toMatchObject({
      name: 'LogDamagedError',
      position: damaged.position,
      message: expect.stringMatching(/damaged at position \d+: its checksum does not fit.*events check.*restore/),
    });
    await expect(all()).rejects.toBeInstanceOf(LogDamagedError);
    expect(await stream('thing-8')).toHaveLength(4);
    expect(await check()).toMatchObject([{ position: damaged.position, problem: 'its checksum does not fit' }]);
  });

  it('does not lose a renamed stream', async () => {
    change(`UPDATE streams SET name = 'thing-x' WHERE name = 'thing-7'`);
    await expect(all()).rejects.toBeInstanceOf(LogDamagedError);
    await expect(stream('thing-x')).rejects.toBeInstanceOf(LogDamagedError);
    expect(await check()).toHaveLength(4);
  });

  it('does not act on an event before the first position, and a check finds it', async () => {
    change(`INSERT INTO events SELECT -5, stream, revision + 1, kind, 'x', data, metadata, null FROM events
            ORDER BY position DESC LIMIT 1`);
    await expect(stream(`thing-${STREAMS - 1}`)).rejects.toBeInstanceOf(LogDamagedError);
    expect(await check()).toContainEqual({
      kind: 'damage',
      position: null,
      problem: 'events stand before the first position',
    });
  });

  it('names a type of another category, which filters would miss', async () => {
    change(`UPDATE kinds SET category = 'other' WHERE type = 'other.v1'`);
    expect(await check()).toContainEqual(expect.objectContaining({ problem: 'its type has another category' }));
  });

  it('names a stream that is removed and still there', async () => {
    change(`INSERT INTO removed SELECT id FROM streams WHERE name = 'thing-7'`);
    expect(await check()).toContainEqual({
      kind: 'damage',
      position: null,
      problem: 'the stream thing-7 is marked as removed, and is still there',
    });
  });

  it.each([
    ['a trigger', `CREATE TRIGGER quiet BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END`],
    ['a view', `CREATE VIEW shown AS SELECT * FROM events`],
  ])('is not opened with %s in its file, which would change what is written or read', async (_, sql) => {
    change(sql);
    await expect(openSqliteEventStore({ directory })).rejects.toThrow(LogUnusableError);
    expect(() => openSqliteEventReader({ directory })).toThrow('its tables differ from those that Anneal made');
  });

  it.each([
    ['the first', 0],
    ['a middle one', 1],
  ])('is detected if %s event of a stream is missing', async (_, revision) => {
    change(`DELETE FROM events WHERE revision = ${revision}
            AND stream = (SELECT id FROM streams WHERE name = 'thing-7')`);
    await expect(stream('thing-7')).rejects.toBeInstanceOf(LogDamagedError);
    const backwards = reading((reader) => Array.fromAsync(reader.readStream('thing-7', { direction: 'backwards' })));
    await expect(backwards).rejects.toBeInstanceOf(LogDamagedError);
  });

  it('returns nothing that was not written, and a check finds what is missing, whichever byte changes', async () => {
    const byStream = Map.groupBy(log, (each) => each.stream);
    const written = new Map(log.map((each) => [each.position, each]));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: intact.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (offset, bits) => {
          await flip(offset, bits);
          try {
            await reading(async (reader) => {
              const problems = [await problem(log, reader.readAll())];
              for (const [name, expected] of byStream) problems.push(await problem(expected, reader.readStream(name)));
              // A byte in an unused part of a page is of no account.
              if (problems.every((each) => each === null)) return;
              // SQLite notices neither a stream nor the end of one that an index has lost.
              expect([
                offset,
                problems.filter((each) => !/^(LogDamaged|StreamNotFound|null|short)/.test(`${each}`)),
              ]).toEqual([offset, []]);
              const found = await Array.fromAsync(reader.check({ signal: AbortSignal.timeout(300_000) }));
              expect([offset, found.filter(({ kind }) => kind === 'damage')]).not.toEqual([offset, []]);
            });
          } catch (error) {
            // The header, the table of tables, or what is read of each log that is opened.
            if (!(error instanceof LogUnusableError || error instanceof LogDamagedError)) throw error;
          }
        },
      ),
      {
        numRuns: 100,
        examples: [
          // The number of the format becomes none.
          [63, 2],
          // A column's type changes.
          [3_302, 97],
          // The name of the log's id changes.
          [8_147, 1],
          // A number grows beyond those of JavaScript.
          [24_337, 7],
          // A text becomes null.
          [81_940, 52],
          [95_600, 128],
        ],
      },
    );

    async function problem(expected: readonly RecordedEvent[], read: AsyncIterable<RecordedEvent>) {
      try {
        const given = await Array.fromAsync(read);
        if (!given.every((each) => isDeepStrictEqual(each, written.get(each.position)))) return 'altered';
        return given.length === expected.length ? null : 'short';
      } catch (error) {
        return (error as Error).name;
      }
    }
  });

  it('shows a stream again that was missing in an index, once a check has noticed', async () => {
    let lost = 0;
    for (const { index } of intact.toString('latin1').matchAll(/thing-7(?!\d)/g)) {
      await flip(index + 6, 0x40);
      await reading(async (reader) => {
        const read = () => Array.fromAsync(reader.readStream('thing-7'));
        const isLost = await read().then(
          () => false,
          (error: unknown) => error instanceof StreamNotFoundError,
        );
        // The row of the name itself would fail this.
        if (!isLost || (await Array.fromAsync(reader.readAll()).catch(() => [])).length < log.length) return;
        lost += 1;
        const found = await Array.fromAsync(reader.check({ signal: AbortSignal.timeout(300_000) }));
        expect(found).toContainEqual({ kind: 'damage', position: expect.any(String), problem: 'an index has lost it' });
        expect(await read()).toHaveLength(4);
      });
    }
    expect(lost).toBeGreaterThan(0);
  });

  it('is read past unreadable pages', async () => {
    const bytes = Buffer.from(intact);
    const page = Math.floor(intact.indexOf('first of 20.') / PAGE_BYTES);
    bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    await writeFile(file(), bytes);
    const found = await check();
    expect(found.length).toBeGreaterThan(0);
    await expect(stream('thing-20')).rejects.toBeInstanceOf(LogDamagedError);
    expect(await stream('thing-0')).toHaveLength(4);
  });

  it.each([0.3, 0.7])('truncated to %s of its length is refused or reported, never read short', async (share) => {
    await truncate(file(), Math.floor(((await stat(file())).size * share) / PAGE_BYTES) * PAGE_BYTES);
    await expect(all()).rejects.toMatchObject({ name: expect.stringMatching(/^(LogDamaged|LogUnusable)Error$/) });
    const opened = openSqliteEventStore({ directory }).then((store) => store.close());
    await opened.catch((error: unknown) => expect(error).toBeInstanceOf(LogUnusableError));
  });
});
