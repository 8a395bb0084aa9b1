import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { InvalidError } from '#domain/errors.js';
import { DECIDED_VERDICTS, VERDICTS, WRONG_VERDICTS, type Verdict } from '#domain/feedback/index.js';
import { dollars } from '#domain/inference/index.js';
import type { Confused, GroupField } from '#projections/inferences/day-groups.js';
import { labelOf } from '#projections/inferences/facts.js';
import { inferenceGroups, MAX_GROUPS } from '#projections/inferences/stats.js';
import { compared } from '#ports/read-store/grouping.js';
import type { Group, Scalar } from '#ports/read-store/port.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { requireProject } from '../../projects/require-project.js';
import { filterOf, requireSearchable, type InferenceFilters } from '../filters.js';

export const GROUPS = ['model', 'version', 'label', 'project', 'day', 'hour', 'verdict'] as const;
type GroupName = (typeof GROUPS)[number];

const FIELDS: Readonly<Record<GroupName, GroupField>> = {
  model: { field: 'modelKey' },
  version: { field: 'versionKey' },
  label: { field: 'labels', unit: 'words' },
  project: { field: 'projectId' },
  day: { field: 'createdAt', unit: 'day' },
  hour: { field: 'createdAt', unit: 'hour' },
  verdict: { field: 'verdict' },
};

const MAX_CONFUSED = 100;

export interface StatsRequest extends InferenceFilters {
  /** One or two of `GROUPS`, separated by a comma. Absent: all calls form one group. */
  readonly group_by?: string;
}

type Always = 'day' | 'hour' | 'verdict';
/** The values of a group, by what calls are grouped by. */
type Keys = { readonly [Name in Exclude<GroupName, Always>]?: string | null } & { readonly [Name in Always]?: string };

export type InferenceGroup = Keys & ReturnType<typeof figuresOf> & { readonly confusion: readonly ConfusedLabels[] };

/** A pair of labels; null: the answer missed it, or it should not have been answered. */
interface ConfusedLabels {
  readonly answered: string | null;
  readonly corrected: string | null;
  readonly count: number;
}

interface InferenceStats {
  readonly group_by: readonly GroupName[];
  readonly groups: readonly InferenceGroup[];
}

export class GetInferenceStats extends CallerQuery<StatsRequest, InferenceStats> {}

@QueryHandler(GetInferenceStats)
export class GetInferenceStatsHandler implements IQueryHandler<GetInferenceStats> {
  constructor(private readonly application: Application) {}

  /** @throws InvalidError; NotFoundError when the query names a project that is not there */
  async execute({ caller, input: query }: GetInferenceStats): Promise<InferenceStats> {
    requireSearchable(caller, query);
    const names = namesOf(query.group_by);
    await requireProject(this.application, caller.workspaceId, query.project_id);
    const { readStore } = this.application.ports;
    const by = names.map((name) => FIELDS[name]);
    const found = await inferenceGroups(
      readStore,
      caller.workspaceId,
      filterOf({ ...query, shadow: query.shadow ?? false }),
      by,
    );
    if (!found) throw invalid(`gives more than ${MAX_GROUPS} groups; ask for fewer calls, or for other groups`);
    const confused = confusionsOf(found.confused, by.length);
    const groups = found.groups.map((group) => ({
      ...keysOf(names, group.values),
      ...figuresOf(group),
      confusion: confused.get(JSON.stringify(group.values)) ?? [],
    }));
    return { group_by: names, groups };
  }
}

function namesOf(given: string | undefined): readonly GroupName[] {
  if (given === undefined) return [];
  const names = given.split(',').map((name) => name.trim());
  const isKnown = names.every((name) => (GROUPS as readonly string[]).includes(name));
  if (!isKnown || names.length > 2 || new Set(names).size < names.length)
    throw invalid(`must be one or two of ${GROUPS.join(', ')}, separated by a comma`);
  return names as GroupName[];
}

const invalid = (message: string): InvalidError =>
  new InvalidError({ path: ['query', 'group_by'], message, type: 'not_allowed' });

const keysOf = (names: readonly GroupName[], values: readonly Scalar[]): Keys =>
  Object.fromEntries(names.map((name, place) => [name, keyOf(name, values[place] as string | null)]));

function keyOf(name: GroupName, value: string | null): string | null {
  if (name === 'verdict') return value ?? 'none';
  return name === 'label' && value !== null ? labelOf(value) : value;
}

function figuresOf({ count, sums, tallies, quantiles }: Group) {
  const [verdicts, statuses] = tallies.map((tally) => new Map(tally)) as [Map<Scalar, number>, Map<Scalar, number>];
  const sum = (some: readonly Verdict[]) => some.reduce((count, verdict) => count + (verdicts.get(verdict) ?? 0), 0);
  const [decided, wrong] = [sum(DECIDED_VERDICTS), sum(WRONG_VERDICTS)];
  const [p50 = null, p95 = null, p99 = null] = quantiles.map((ms) => (ms === null ? null : Number(ms.toPrecision(3))));
  return {
    count,
    failed: statuses.get('failed') ?? 0,
    verdicts: {
      ...(Object.fromEntries(VERDICTS.map((verdict) => [verdict, sum([verdict])])) as Record<Verdict, number>),
      none: verdicts.get(null) ?? 0,
    },
    accuracy: decided === 0 ? null : (decided - wrong) / decided,
    latency_ms: { p50, p95, p99 },
    cost: dollars(String(sums[0])),
  };
}

/** The most frequent first, equally frequent ones by their labels. */
const byFrequency = (a: ConfusedLabels, b: ConfusedLabels): number =>
  b.count - a.count || compared([a.answered, a.corrected], [b.answered, b.corrected]);

/** Pairs of labels by the values of their group. */
function confusionsOf(groups: readonly Confused[], keys: number) {
  const found = new Map<string, readonly ConfusedLabels[]>();
  for (const { values, tallies } of groups) {
    const all = tallies.flatMap((tally) =>
      tally.map(([pair, count]) => {
        const [answered, corrected] = String(pair)
          .split('\t')
          .map((label) => (label === '' ? null : labelOf(label)));
        return { answered: answered ?? null, corrected: corrected ?? null, count };
      }),
    );
    found.set(JSON.stringify(values.slice(0, keys)), all.toSorted(byFrequency).slice(0, MAX_CONFUSED));
  }
  return found;
}
