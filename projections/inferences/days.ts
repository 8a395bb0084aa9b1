import { binOf } from '#ports/read-store/grouping.js';
import type { TotalsOf } from '#log/projector/projection.js';

/** What calls are of, for groups and filters: a day has a total for each combination. */
export const FACTS_OF_DAYS = [
  ...(['modelId', 'trainingJobId', 'projectId', 'task'] as const),
  ...(['role', 'modelKey', 'versionKey'] as const),
];
type FactOfDay = (typeof FACTS_OF_DAYS)[number];

/** What is counted of a recorded call. */
type CountedCall = {
  readonly workspaceId: string;
  readonly createdAt: string;
  readonly latencyMs: number | null;
  readonly picodollars: number;
  readonly verdict: string | null;
  readonly status: string;
  readonly labels: string | null;
  readonly confusions: string | null;
} & { readonly [Fact in FactOfDay]?: string | null };

/** What calls of a day are counted by: their verdict and status; those with labels also each of these. */
export type DayKind = 'calls' | 'labels';

/** The calls of a workspace on one day that agree in `FACTS_OF_DAYS`. */
export type DayDocument = {
  readonly id: string;
  /** It is no call of a workspace. */
  readonly workspaceId: null;
  readonly countedFor: string;
  readonly kind: DayKind;
  /** `2030-01-07`, UTC. */
  readonly day: string;
  readonly of: Readonly<Record<FactOfDay, string | null>>;
  /**
   * By the JSON of verdict and status; of `calls` with labels, and true; of `labels`, and the label (as a word of `labels`).
   */
  readonly counted: Record<string, CountedCalls>;
  /** Whether it had more than `MAX_COUNTED` entries at some time: it counts nothing since then. */
  full?: true;
};

export type CountedCalls = {
  count: number;
  picodollars: number;
  /** Bins of latencies (`binOf`), each followed by how many calls are in it, the lowest first. */
  latencies: number[];
  /** How often labels were confused, by the words of `confusions`; absent if none were. */
  confusions?: Record<string, number>;
};

/** Bounds the size of a day: with many labels, they are counted from the calls. */
const MAX_COUNTED = 200;

const COUNTED_FIELDS = [
  ...['workspaceId', 'createdAt', 'latencyMs', 'picodollars', 'verdict', 'status', 'labels', 'confusions'],
  ...FACTS_OF_DAYS,
];

/** Days in whole of recorded calls. */
export const dayTotals: readonly TotalsOf<CountedCall | { readonly workspaceId: null }, DayDocument>[] = [
  {
    fields: COUNTED_FIELDS,
    key: (call) => (isCall(call) ? dayId('calls', call) : null),
    empty: (call) => emptyDay('calls', call as CountedCall),
    count(day, call, times) {
      if (isCall(call)) countIn(day, call.labels === null ? [] : [true], call, times);
    },
    isEmpty,
  },
  {
    fields: COUNTED_FIELDS,
    key: (call) => (isCall(call) && call.labels !== null ? dayId('labels', call) : null),
    empty: (call) => emptyDay('labels', call as CountedCall),
    count(day, call, times) {
      if (isCall(call)) for (const label of wordsIn(call.labels ?? '')) countIn(day, [label], call, times);
    },
    isEmpty,
  },
];

const isCall = (document: CountedCall | { readonly workspaceId: null }): document is CountedCall =>
  document.workspaceId !== null;

const wordsIn = (words: string): readonly string[] => words.split('\n').filter(Boolean);

/** Ids of documents begin with a letter or digit, and those of days before: a store need not look for an id above all others. */
const dayId = (kind: DayKind, call: CountedCall): string =>
  `#${JSON.stringify([kind, call.workspaceId, dayOf(call), ...FACTS_OF_DAYS.map((fact) => call[fact] ?? null)])}`;

const dayOf = ({ createdAt }: CountedCall): string => createdAt.slice(0, 10);

const emptyDay = (kind: DayKind, call: CountedCall): DayDocument => ({
  ...{ id: dayId(kind, call), workspaceId: null, countedFor: call.workspaceId, kind, day: dayOf(call) },
  of: Object.fromEntries(FACTS_OF_DAYS.map((fact) => [fact, call[fact] ?? null])) as DayDocument['of'],
  counted: {},
});

function isEmpty({ counted, full }: DayDocument): boolean {
  for (const _ in counted) return false;
  return !full;
}

function countIn(day: DayDocument, of: readonly (string | true)[], call: CountedCall, times: 1 | -1): void {
  if (day.full) return;
  const { counted } = day;
  const key = JSON.stringify([call.verdict, call.status, ...of]);
  const calls = (counted[key] ??= { count: 0, picodollars: 0, latencies: [] });
  calls.count += times;
  calls.picodollars += times * call.picodollars;
  if (call.latencyMs !== null) addTo(calls.latencies, binOf(call.latencyMs), times);
  for (const pair of wordsIn(call.confusions ?? '')) {
    const confusions = (calls.confusions ??= {});
    confusions[pair] = (confusions[pair] ?? 0) + times;
    if (confusions[pair] === 0) delete confusions[pair];
  }
  const pairs = Object.keys(calls.confusions ?? {}).length;
  if (pairs === 0) delete calls.confusions;
  if (calls.count === 0) delete counted[key];
  if (Math.max(pairs, Object.keys(counted).length) <= MAX_COUNTED) return;
  day.full = true;
  for (const each of Object.keys(counted)) delete counted[each];
}

/** @param bins see `CountedCalls.latencies` */
function addTo(bins: number[], bin: number, times: 1 | -1): void {
  let [low, high] = [0, bins.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bins[2 * middle]! < bin) low = middle + 1;
    else high = middle;
  }
  const at = 2 * low;
  if (bins[at] !== bin) bins.splice(at, 0, bin, times);
  else if (bins[at + 1] === -times) bins.splice(at, 2);
  else bins[at + 1]! += times;
}
