import { Documents, type FieldRange, type Filter } from '#log/projector/documents.js';
import { compared, quantilesOf } from '#ports/read-store/grouping.js';
import type { Group, GroupKey, ReadStoreQueries, Scalar } from '#ports/read-store/port.js';
import { FACTS_OF_DAYS, type CountedCalls, type DayDocument, type DayKind } from './days.js';
import { inferences, type InferenceDocument } from './projection.js';

const dayDocuments = new Documents<DayDocument>({ ...inferences, on: {} });

export type GroupField = GroupKey & {
  readonly field: 'modelKey' | 'versionKey' | 'labels' | 'projectId' | 'createdAt' | 'verdict';
};

/** How often labels were confused in a group. */
export type Confused = Pick<Group, 'values' | 'tallies'>;

export interface CallGroups {
  readonly groups: readonly Group[];
  readonly confused: readonly Confused[];
}

/** What calls of a day that were counted together have in common. */
type Shared = Readonly<Record<string, Scalar>>;

/**
 * The groups of `inferenceGroups` from whole days: a few documents a day however many calls it has.
 * @returns null if days do not tell these calls apart, or are too many to be counted by label
 */
export async function groupsOfDays(
  store: ReadStoreQueries,
  workspaceId: string,
  filter: Filter<InferenceDocument>,
  { by, quantiles }: { readonly by: readonly GroupField[]; readonly quantiles: readonly number[] },
): Promise<CallGroups | null> {
  const asked = daysAsked(filter, by);
  if (!asked) return null;
  const { isByLabel, from, to, matches } = asked;
  const groups = new Map<string, Added>();
  const range = { field: 'day' as const, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  for await (const { kind, day, of, counted, full } of daysOf(store, workspaceId, isByLabel, range)) {
    if (full) return null;
    for (const [key, calls] of Object.entries(counted)) {
      const [verdict, status, labels = null] = JSON.parse(key) as readonly Scalar[];
      // By label, those with labels are counted in the days of labels.
      if (isByLabel && kind === 'calls' && labels !== null) continue;
      const shared = {
        ...of,
        createdAt: day,
        verdict: verdict!,
        status: status!,
        labels: labels === true ? null : labels,
      };
      if (!matches(shared)) continue;
      const values = by.map(({ field }) => shared[field as keyof typeof shared]);
      const id = JSON.stringify(values);
      let group = groups.get(id);
      if (!group) groups.set(id, (group = new Added(values)));
      group.add(calls, shared);
    }
  }
  const all = [...groups.values()].sort((a, b) => compared(a.values, b.values));
  return {
    groups: all.map((group) => group.figures(quantiles)),
    confused: all.flatMap((group) => group.confused()),
  };
}

async function* daysOf(
  store: ReadStoreQueries,
  workspaceId: string,
  isByLabel: boolean,
  range: FieldRange<DayDocument>,
): AsyncGenerator<DayDocument> {
  const kinds: readonly DayKind[] = isByLabel ? ['calls', 'labels'] : ['calls'];
  const order = { field: 'day' as const, direction: 'ascending' as const };
  for (const kind of kinds)
    yield* dayDocuments.each(store, { where: { countedFor: workspaceId, kind }, range, order }, TOGETHER);
}

interface DaysAsked {
  readonly isByLabel: boolean;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly matches: (shared: Shared) => boolean;
}

/** Days that are added in one turn: a few milliseconds. */
const TOGETHER = 250;

const KNOWN: ReadonlySet<string> = new Set([...FACTS_OF_DAYS, 'verdict', 'status']);
const DAY_LENGTH = 10;

/** The days that hold just the calls of a filter; null if none do. */
function daysAsked(
  { where = {}, ranges = [], words, contains = [] }: Filter<InferenceDocument>,
  by: readonly GroupField[],
): DaysAsked | null {
  const [range = { field: 'createdAt' }, ...others] = ranges;
  const [label, ...otherTexts] = contains;
  const isByLabel = by.some(({ field }) => field === 'labels');
  const isKnown =
    words === undefined &&
    Object.keys(where).every((field) => KNOWN.has(field)) &&
    by.every(({ unit }) => unit !== 'hour') &&
    range.field === 'createdAt' &&
    isEdge(range.from, 'T00:00:00.000Z') &&
    isEdge(range.to, 'T23:59:59.999Z') &&
    others.length + otherTexts.length === 0 &&
    // A call with the label has others, too, which only the call knows.
    !(label && (label.field !== 'labels' || isByLabel));
  if (!isKnown) return null;
  const conditions = Object.entries(where).map(
    ([field, wanted]) => [field, new Set([wanted].flat() as readonly Scalar[])] as const,
  );
  const word = label?.text.slice(1, -1);
  return {
    isByLabel: isByLabel || label !== undefined,
    from: dayOf(range.from),
    to: dayOf(range.to),
    matches: (shared) =>
      conditions.every(([field, wanted]) => wanted.has(shared[field] ?? null)) &&
      (word === undefined || shared['labels'] === word),
  };
}

/** Whether a bound is that of a day, or none. */
const isEdge = (bound: Scalar | undefined, time: string): boolean =>
  bound === undefined || bound === null || (typeof bound === 'string' && bound.slice(DAY_LENGTH) === time);

const dayOf = (bound: Scalar | undefined): string | undefined =>
  typeof bound === 'string' ? bound.slice(0, DAY_LENGTH) : undefined;

/** A group to which calls are added that were counted together. */
class Added {
  private count = 0;
  private picodollars = 0;
  private readonly verdicts = new Map<Scalar, number>();
  private readonly statuses = new Map<Scalar, number>();
  private readonly bins = new Map<number, number>();
  private readonly confusions = new Map<Scalar, number>();

  constructor(readonly values: readonly Scalar[]) {}

  add({ count, picodollars, latencies, confusions = {} }: CountedCalls, { verdict, status }: Shared): void {
    this.count += count;
    this.picodollars += picodollars;
    addTo(this.verdicts, verdict!, count);
    addTo(this.statuses, status!, count);
    for (let at = 0; at < latencies.length; at += 2) addTo(this.bins, latencies[at]!, latencies[at + 1]!);
    for (const [pair, times] of Object.entries(confusions)) addTo(this.confusions, pair, times);
  }

  figures(at: readonly number[]): Group {
    const { values, count, picodollars, verdicts, statuses, bins } = this;
    return {
      ...{ values, count, sums: [picodollars], tallies: [[...verdicts], [...statuses]] },
      quantiles: quantilesOf(bins, at),
    };
  }

  /** Without labels that were confused, there is none. */
  confused(): readonly Confused[] {
    const { values, confusions } = this;
    return confusions.size === 0 ? [] : [{ values, tallies: [[...confusions]] }];
  }
}

const addTo = <Key>(counts: Map<Key, number>, key: Key, times: number) =>
  counts.set(key, (counts.get(key) ?? 0) + times);
