import type { Filter } from '#log/projector/documents.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { ReadStore, Scalar } from '#ports/read-store/port.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import { callEvents, Filling, JOBS, PROJECTS, timeOf, WORKSPACE } from '#test/support/recorded-calls.js';
import { groupsOfDays, type CallGroups, type Confused, type GroupField } from './day-groups.js';
import { labelIn } from './facts.js';
import { inferences, type InferenceDocument } from './projection.js';
import { groupsOfCalls, inferenceGroups } from './stats.js';

const CALLS = 900;
/** Calls of the bench between two of these, which come from two weeks. */
const APART = 503;
const DAY = timeOf(APART * 300).slice(0, 10);
const NEXT = new Date(Date.parse(DAY) + 2 * 86_400_000).toISOString().slice(0, 10);

const FIELDS: readonly GroupField[] = [
  ...[{ field: 'modelKey' as const }, { field: 'versionKey' as const }, { field: 'projectId' as const }],
  ...[{ field: 'verdict' as const }, { field: 'labels' as const, unit: 'words' as const }],
  { field: 'createdAt', unit: 'day' },
];
const GROUPINGS: readonly (readonly GroupField[])[] = [
  [],
  ...FIELDS.map((field) => [field]),
  ...FIELDS.flatMap((one) => FIELDS.filter((two) => two !== one).map((two) => [one, two])),
];

const FILTERS: Readonly<Record<string, Filter<InferenceDocument>>> = {
  'all calls': {},
  'no shadow calls': { where: { role: null } },
  'a job and a project': { where: { trainingJobId: JOBS[0]!, projectId: PROJECTS[1]! } },
  'a task': { where: { task: 'classify_text' } },
  'verdicts, and those that failed': { where: { verdict: ['incorrect', null], status: 'failed' } },
  'whole days': { ranges: [{ field: 'createdAt', from: `${DAY}T00:00:00.000Z`, to: `${NEXT}T23:59:59.999Z` }] },
  'since a day': { where: { role: null }, ranges: [{ field: 'createdAt', from: `${DAY}T00:00:00.000Z` }] },
};

/** What every read store counts by days. @param open an empty store */
export function daysSuite(
  open: () => Promise<{ readonly store: ReadStore; readonly clear: () => Promise<void> }>,
): void {
  describe('days of recorded calls', () => {
    let store: ReadStore;
    let clear: () => Promise<void>;
    beforeAll(async () => {
      ({ store, clear } = await open());
      const filling = new Filling(store, inferences);
      await filling.open();
      const log = eventsOfDays();
      for (let at = 0; at < log.length; at += 70) await filling.write(log.slice(at, at + 70));
    });
    afterAll(async () => {
      await clear();
    });

    it.each(Object.keys(FILTERS))('count %s as the calls themselves do, by all groups', async (name) => {
      for (const by of GROUPINGS) {
        const filter = FILTERS[name]!;
        const days = await groupsOfDays(store, WORKSPACE, filter, { by, quantiles: [0.5, 0.95, 0.99] });
        expect([by, inOrder(days)]).toEqual([by, inOrder(await groupsOfCalls(store, WORKSPACE, filter, by))]);
        if (by.length === 0) expect(days!.groups[0]!.count).toBeGreaterThan(0);
      }
    });

    it('count the calls of one label, which may have others', async () => {
      const filter = { contains: [{ field: 'labels' as const, text: labelIn('person')! }] };
      for (const by of GROUPINGS.filter((each) => each.every(({ field }) => field !== 'labels'))) {
        const days = await groupsOfDays(store, WORKSPACE, filter, { by, quantiles: [0.5, 0.95, 0.99] });
        expect([by, inOrder(days)]).toEqual([by, inOrder(await groupsOfCalls(store, WORKSPACE, filter, by))]);
      }
    });

    it('leave hours, parts of days and other conditions to the calls', async () => {
      const byLabel: readonly GroupField[] = [{ field: 'labels', unit: 'words' }];
      const asked: readonly (readonly [Filter<InferenceDocument>, readonly GroupField[]])[] = [
        [{}, [{ field: 'createdAt', unit: 'hour' }]],
        [{ ranges: [{ field: 'createdAt', from: `${DAY}T00:00:00.001Z` }] }, []],
        [{ ranges: [{ field: 'createdAt', to: `${NEXT}T00:00:00.000Z` }] }, []],
        [{ ranges: [{ field: 'latencyMs', from: 3 }] }, []],
        [{ where: { keyId: 'k1' } }, []],
        [{ contains: [{ field: 'labels', text: labelIn('person')! }] }, byLabel],
      ];
      for (const [filter, by] of asked) {
        expect(await groupsOfDays(store, WORKSPACE, filter, { by, quantiles: [] })).toBeNull();
        const { groups } = (await inferenceGroups(store, WORKSPACE, filter, by))!;
        expect(groups.length).toBeGreaterThan(0);
      }
    });

    it('count nothing of another workspace', async () => {
      expect((await groupsOfDays(store, 'another', {}, { by: [], quantiles: [] }))!.groups).toEqual([]);
    });
  });
}

/** Calls with what changes later: verdicts that are given again or withdrawn, contents that are erased, shadow calls. */
export function eventsOfDays(): readonly RecordedEvent[] {
  const random = randomNumbers(7);
  return Array.from({ length: CALLS }, (_, n) => changed(n, callEvents(APART * n, random))).flat();
}

function changed(n: number, [call, content, ...given]: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const { inferenceId } = call!.data as { readonly inferenceId: string };
  const shadow = n % 9 === 4 && { shadowOf: 'another' };
  const named = n % 2 === 0 && { modelName: 'tickets', modelVersion: 1 + (n % 3) };
  const later = (type: string, positions: number, data: object): RecordedEvent => ({
    ...{ ...call!, type, data: { inferenceId, workspaceId: WORKSPACE, ...data } },
    position: String(Number(call!.position) + positions).padStart(call!.position.length, '0'),
  });
  const erased = later('call-content-erased.v1', 4, { erasedAt: timeOf(APART * CALLS) });
  const removed = later('feedback-removed.v1', 3, { userId: WORKSPACE, at: timeOf(APART * CALLS) });
  return [
    { ...call!, data: { ...call!.data, ...shadow, ...named } },
    content!,
    ...given,
    ...(n % 7 === 3 ? [erased] : []),
    ...(given.length > 0 && n % 3 === 0 ? [removed] : []),
  ];
}

/** Tallies have no order. */
const inOrder = (found: CallGroups | null) =>
  found && {
    groups: found.groups.map(sorted),
    confused: found.confused.map(({ values, tallies }) => sorted({ values, tallies })),
  };

const sorted = <T extends Confused>(group: T) => ({
  ...group,
  tallies: group.tallies.map((tally) => [...tally].sort(([a], [b]) => (text(a) < text(b) ? -1 : 1))),
});

const text = (value: Scalar): string => JSON.stringify(value);
