import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { jest } from '@jest/globals';
import { expectedAfter, NO_STREAM, type EventToAppend } from '../port.js';
import { openForWriting } from './database.js';
import { flatten } from './flatten.js';
import { openSqliteEventStore } from './index.js';
import { PAGE_CHARACTERS } from './log-rows.js';
import { LogPages, type Page } from './pages.js';
import { event } from './store.fixture.js';
import { LogWriter } from './writer.js';

const LARGE = 100_000;

describe('pages of the log', () => {
  let directory: string;
  let pages: LogPages;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pages-'));
    const store = await openSqliteEventStore({ directory, durability: 'normal' });
    const some = (count: number, text: string): EventToAppend[] =>
      Array.from({ length: count }, () => ({ ...event(), data: { text } }));
    await store.append('content-w-1', expectedAfter(-1), some(100, 'small'));
    for (let at = 100; at < 140; at += 5)
      await store.append('content-w-1', expectedAfter(at - 1), some(5, 'x'.repeat(LARGE)));
    await store.close();
    pages = new LogPages(directory);
  });
  afterAll(async () => {
    pages.close();
    await rm(directory, { recursive: true });
  });

  const all = (read: (from: number) => Page, start: number): readonly Page[] => {
    const found: Page[] = [];
    for (let from = start; ;) {
      const page = read(from);
      found.push(page);
      if (page.last) return found;
      from = page.next;
    }
  };

  it('read at most 32 events before their size is known, and none after a long page', () => {
    // eslint-disable-next-line @typescript-eslint/unbound-method -- applied to each statement below
    const read = StatementSync.prototype.all;
    const atOnce: number[] = [];
    const spy = jest.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...given) {
      const rows = read.apply(this, given);
      if (/FROM events/.test(this.sourceSQL)) atOnce.push(rows.length);
      return rows;
    });
    const fresh = new LogPages(directory);
    for (let from = 0; from < 100; from += 20) fresh.logPage('forwards', from, undefined, 20);
    const history = all((from) => fresh.logPage('forwards', from, undefined, 500), 40);
    spy.mockRestore();
    fresh.close();
    expect(history.length).toBeGreaterThan(3);
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(32);
    expect(atOnce).toHaveLength(5);
  });

  it.each(['forwards', 'backwards'] as const)('%s end early with large events, whatever their limit', (direction) => {
    const end = direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER;
    const stream = pages.stream('content-w-1')!;
    const ofStream = all((from) => pages.streamPage(stream, direction, from, 512), end);
    const ofLog = all((from) => pages.logPage(direction, from, { categories: ['content'] }, 512), end);
    for (const read of [ofStream, ofLog]) {
      const revisions = read.flatMap(({ events }) => events.map(({ revision }) => revision));
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 140 }, (_, n) => n));
      for (const { characters } of read) expect(characters).toBeLessThan(PAGE_CHARACTERS + 2 * LARGE);
    }
  });
});

describe('a filtered page of the log', () => {
  it('includes an event of a new type that is stored while the page is read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pages-'));
    const writer = new LogWriter(() => openForWriting(directory, 'normal'));
    const append = (stream: string, ...types: string[]) => {
      const events = flatten(
        stream,
        NO_STREAM,
        types.map((type) => ({ ...event(), type })),
      );
      writer.write([{ kind: 'append', stream, expected: -1, events }]);
    };
    append('thing-1', 'known.v1');
    const pages = new LogPages(directory);
    const database = pages['read']['database'];
    const prepare = database.prepare.bind(database);
    const preparing = jest.spyOn(database, 'prepare').mockImplementation((sql) => {
      const reading = /FROM events WHERE kind/.test(sql);
      if (reading) preparing.mockRestore();
      if (reading) append('thing-2', 'new.v1', 'known.v1');
      return prepare(sql);
    });
    const { events } = pages.logPage('forwards', 0, { types: ['known.v1', 'new.v1'] }, 100);
    expect(events.map(({ type }) => type)).toEqual(['known.v1', 'new.v1', 'known.v1']);
    pages.close();
    writer.close();
    await rm(directory, { recursive: true });
  });
});
