import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedAfter, type EventToAppend } from '../port.js';
import { openSqliteEventStore } from './index.js';
import { LogPages, PAGE_CHARACTERS, type Page } from './pages.js';
import { event } from './store.fixture.js';

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

  it.each(['forwards', 'backwards'] as const)(
    '%s end where their events are large, whatever their limit',
    (direction) => {
      const end = direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER;
      const stream = pages.stream('content-w-1')!;
      const ofStream = all((from) => pages.streamPage(stream, direction, from, 512), end);
      const ofLog = all((from) => pages.logPage(direction, from, { categories: ['content'] }, 512), end);
      for (const read of [ofStream, ofLog]) {
        const revisions = read.flatMap(({ events }) => events.map(({ revision }) => revision));
        expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 140 }, (_, n) => n));
        for (const { characters } of read) expect(characters).toBeLessThan(PAGE_CHARACTERS + 2 * LARGE);
      }
    },
  );
});
