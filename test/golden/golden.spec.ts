import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fold, type Decider, type DomainEvent } from '#domain/decider.js';
import { categoryOf, STREAM_CATEGORIES } from '#domain/streams.js';
import { goldenEvents } from './events.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
// Types are gone from what is built: the sources say which events there are.
const SOURCES = globSync('libs/domain/*/events.ts', { cwd: ROOT }).map((file) =>
  readFileSync(join(ROOT, file), 'utf8'),
);
const TYPES = new Set(
  SOURCES.flatMap((text) => [...text.matchAll(/type: '([a-z-]+\.v\d+)'/g)].map(([, type]) => type!)),
);

describe('the golden log', () => {
  test('has a sample of every event type in the sources, and of no other', () => {
    expect(TYPES.size).toBeGreaterThan(50);
    expect(new Set(goldenEvents.map(({ type }) => type))).toEqual(TYPES);
  });

  test('is of streams whose categories are in the table', () => {
    const categories = new Set(goldenEvents.map(({ stream }) => categoryOf(stream)));
    expect([...categories].filter((category) => !(category in STREAM_CATEGORIES))).toEqual([]);
  });

  test('is read by every aggregate: its streams fold into states', async () => {
    for (const decider of await deciders()) {
      const streams = Map.groupBy(goldenEvents, ({ stream }) => stream);
      const own = [...streams].filter(([stream]) => categoryOf(stream) === decider.category);
      // Some samples stand alone, without what comes before them.
      const states = own.map(([, events]) => fold(decider, events));
      const known = states.filter((state) => state !== decider.initial);
      expect([decider.category, known.length > 0]).toEqual([decider.category, true]);
    }
  });
});

/** All that the aggregates export. */
async function deciders(): Promise<readonly Decider<unknown, DomainEvent, unknown>[]> {
  const files = globSync('dist/libs/domain/*/decider.js', { cwd: ROOT });
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(join(ROOT, file)).href) as Promise<object>),
  );
  const all = modules.flatMap((module) => Object.values(module) as unknown[]);
  return all.filter((value): value is Decider<unknown, DomainEvent, unknown> =>
    Boolean(value && typeof value === 'object' && 'evolve' in value && 'category' in value),
  );
}
