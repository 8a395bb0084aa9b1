import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fold, type Decider, type DomainEvent } from '#domain/decider.js';
import { categoryOf, STREAM_CATEGORIES } from '#domain/streams.js';
import { upcasters } from '#domain/upcasters.js';
import { goldenEvents, upcastGoldenEvents } from './events.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
// Types are gone from what is built: the sources say which events there are.
const SOURCES = globSync('libs/domain/*/events.ts', { cwd: ROOT }).map((file) =>
  readFileSync(join(ROOT, file), 'utf8'),
);
const TYPES = new Set(SOURCES.flatMap((text) => [...text.matchAll(/'([a-z-]+\.v\d+)'/g)].map(([, type]) => type!)));

const typesOf = (events: readonly { readonly type: string }[]) => new Set(events.map(({ type }) => type));

describe('the golden log', () => {
  it('has a sample of every event type in the sources, and of no other', () => {
    const older = upcasters.all.map(({ from }) => from);
    expect(TYPES.size).toBeGreaterThan(50);
    expect(typesOf(goldenEvents)).toEqual(new Set([...TYPES, ...older]));
  });

  it('becomes events of the newest types only', () => {
    expect(typesOf(upcastGoldenEvents)).toEqual(TYPES);
  });

  it.each(upcasters.all.map((each) => [each.from, each] as const))(
    'has a %s that its upcaster changes once, and not again',
    (_, { from, upcast }) => {
      const older = goldenEvents.filter(({ type, data }) => type === from && upcast(data) !== data);
      expect(older).not.toEqual([]);
      for (const event of older.map((each) => upcasters.upcast(each))) expect(upcasters.upcast(event)).toEqual(event);
    },
  );

  it('uses streams whose categories are in the table', () => {
    const categories = new Set(goldenEvents.map(({ stream }) => categoryOf(stream)));
    expect([...categories].filter((category) => !(category in STREAM_CATEGORIES))).toEqual([]);
  });

  it('can be read by every aggregate: its streams fold into states', async () => {
    for (const decider of await deciders()) {
      const streams = Map.groupBy(upcastGoldenEvents, ({ stream }) => stream);
      const own = [...streams].filter(([stream]) => categoryOf(stream) === decider.category);
      // A few samples stand alone, without the events before them.
      const states = own.map(([, events]) => fold(decider, events));
      const known = states.filter((state) => state !== decider.initial);
      expect([decider.category, known.length > 0]).toEqual([decider.category, true]);
    }
  });
});

/** The deciders that the aggregates export. */
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
