import type { EntityHit, EntityQuery, InferWarning } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { mappedHead, overlapsAny, tagInSteps, type EntityHead, type LayeredHead } from '../entities/index.js';
import { labelsBeyondTypes } from '../labels/index.js';
import type { LoadedBase } from './base.js';
import { matcherOf } from '../../matching-labels.js';

interface EntityAnswer {
  /** Keyed by the requested label. */
  readonly entities: Readonly<Record<string, readonly EntityHit[]>>;
  readonly inputTokens: number;
  readonly truncated: boolean;
}

/** Entity queries with the heads that answer them. */
interface EntityPlan {
  readonly warnings: readonly InferWarning[];
  /** False if no label could be resolved: the text is then not read. */
  readonly readsText: boolean;
  answer(text: string): Steps<EntityAnswer>;
}

/** A head, and for each of its labels the queries that it answers. */
interface Source {
  readonly head: EntityHead;
  readonly queries: ReadonlyMap<string, readonly EntityQuery[]>;
  /** The lowest of the queries' thresholds. */
  readonly threshold: number;
  readonly thresholdOf: (query: EntityQuery) => number;
  /** True: hits count only if they overlap a hit of the adapter's outer head. */
  readonly isInner: boolean;
}

interface EntityModel {
  readonly entities: LayeredHead | null;
  readonly base: LoadedBase;
}

interface EntityOptions {
  /** For queries without their own; null: the decision point of the head that answers. */
  readonly threshold: number | null;
  /** No hit of the adapter overlaps another. */
  readonly flat: boolean;
}

/** Labels that the base judges by their names, which may overlap the other answers if any hits may. */
interface Judged {
  readonly model: NonNullable<LoadedBase['zeroShot']>;
  readonly queries: readonly EntityQuery[];
  readonly thresholdOf: (query: EntityQuery) => number;
  readonly mayOverlap: boolean;
}

/**
 * Chooses for each requested label the model that answers it: the adapter if it learned the label, else the base if it
 * has types for the label, else none, which gives a warning and an empty list, never a guess. An untrained model with an
 * encoder judges labels that are no names of types by the meaning of their names. If hits may overlap, each label is
 * searched separately, and the adapter's inner heads find nested spans.
 */
export function planEntities(
  queries: readonly EntityQuery[],
  { entities: adapter, base }: EntityModel,
  { threshold, flat }: EntityOptions,
): EntityPlan {
  const distinct = [...new Map([...queries].reverse().map((query) => [query.name, query])).values()].reverse();
  const learned = new Map<string, EntityQuery[]>();
  const others: EntityQuery[] = [];
  const matching = matcherOf(adapter?.labels ?? []);
  for (const query of distinct) {
    const label = matching(query.name);
    if (label === null) others.push(query);
    else if (learned.get(label)?.push(query) === undefined) learned.set(label, [query]);
  }
  const types = base.resolve(others.map((query) => query.name));
  const judged = adapter === null ? judgedOf(others, base, { threshold, flat }) : null;
  const warnings = others
    .filter((query) => !types.has(query.name))
    .map((query) => unresolved(query.name, judged?.queries.includes(query) === true));
  const outer = new Set(adapter?.outer.labels);
  if (flat) warnings.push(...[...learned].flatMap(([label, asked]) => (outer.has(label) ? [] : asked.map(onlyNested))));
  else if ((adapter?.inner ?? []).length === 0) warnings.push(NOT_NESTED);
  const resolved = others.flatMap((query) => {
    if (judged?.queries.includes(query)) return [];
    const own = types.get(query.name) ?? [];
    return own.length > 0 ? [{ query, types: own }] : [];
  });

  const sources: Source[] = [];
  if (adapter !== null && learned.size > 0) {
    sources.push(sourceOf(adapter.outer, learned, threshold));
    if (!flat) for (const head of adapter.inner) sources.push({ ...sourceOf(head, learned, threshold), isInner: true });
  }
  for (const group of flat ? withDisjointTypes(resolved) : resolved.map((each) => [each])) {
    const head = mappedHead(base.tagger, new Map(group.map(({ query, types }) => [query.name, types])));
    sources.push(sourceOf(head, new Map(group.map(({ query }) => [query.name, [query]])), threshold));
  }
  return {
    warnings,
    readsText: sources.length > 0 || judged !== null,
    answer: (text) => (judged === null ? answer(text, distinct, sources) : judge(text, distinct, sources, judged)),
  };
}

/** Labels of a request that are judged, each against every stretch of the text: the first ones. */
const MAX_JUDGED = 100;

/** Null if the base answers all of the labels by its types, or judges none. */
function judgedOf(
  queries: readonly EntityQuery[],
  { zeroShot }: LoadedBase,
  { threshold, flat }: EntityOptions,
): Judged | null {
  if (zeroShot === null) return null;
  const beyond = labelsBeyondTypes(queries.map(({ name }) => name));
  if (beyond.size === 0) return null;
  return {
    model: zeroShot,
    queries: queries.filter(({ name }) => beyond.has(name)).slice(0, MAX_JUDGED),
    thresholdOf: (query) => query.threshold ?? threshold ?? zeroShot.decisionPoint,
    mayOverlap: !flat,
  };
}

/** The answers by types, and those that are judged: unless hits may overlap, only where the text is free. */
function* judge(
  text: string,
  queries: readonly EntityQuery[],
  sources: readonly Source[],
  { model, queries: own, thresholdOf, mayOverlap }: Judged,
): Steps<EntityAnswer> {
  const byTypes = yield* answer(text, queries, sources);
  const thresholds = new Map(own.map((query) => [query.name, thresholdOf(query)]));
  const taken = mayOverlap ? [] : Object.values(byTypes.entities).flat();
  const { hits, ...read } = yield* model.find(text, [...thresholds.keys()], (label) => thresholds.get(label)!, taken);
  const byLabel = Map.groupBy(hits, ({ label }) => label);
  const found = own.map(({ name }) => [name, byLabel.get(name) ?? []] as const);
  return {
    entities: { ...byTypes.entities, ...Object.fromEntries(found) },
    inputTokens: Math.max(byTypes.inputTokens, read.inputTokens),
    truncated: byTypes.truncated || read.truncated,
  };
}

function* answer(text: string, queries: readonly EntityQuery[], sources: readonly Source[]): Steps<EntityAnswer> {
  // By span: if several layers find one, the most confident hit counts.
  const hits = new Map(queries.map(({ name }) => [name, new Map<string, EntityHit>()]));
  const taggings = sources.map((source) => ({ tagger: source.head.tagger, threshold: source.threshold }));
  if (taggings.length === 0) return { entities: listsOf(hits), inputTokens: 0, truncated: false };
  const { hits: found, inputTokens, truncated } = yield* tagInSteps(text, taggings);
  const layered = sources.some(({ isInner }) => isInner);
  for (const [index, source] of sources.entries())
    for (const hit of found[index]!) {
      if (source.isInner && !overlapsAny(hit, found[0]!)) continue;
      const span = `${hit.start} ${hit.end}`;
      for (const query of source.queries.get(hit.label) ?? []) {
        const own = hits.get(query.name)!;
        const least = own.get(span)?.confidence ?? source.thresholdOf(query);
        if (hit.confidence >= least) own.set(span, { ...hit, label: query.name });
      }
    }
  const entities = listsOf(hits);
  if (layered) for (const each of Object.values(entities)) each.sort((a, b) => a.start - b.start || b.end - a.end);
  return { entities, inputTokens, truncated };
}

const listsOf = (hits: ReadonlyMap<string, ReadonlyMap<string, EntityHit>>): Record<string, EntityHit[]> =>
  Object.fromEntries([...hits].map(([name, own]) => [name, [...own.values()]]));

/**
 * The hits of a head never overlap, so labels that share a type ("price" and "cost") need a head each: neither may take
 * the other's hits away.
 */
function withDisjointTypes<T extends { readonly types: readonly string[] }>(resolved: readonly T[]): T[][] {
  const groups: { members: T[]; types: Set<string> }[] = [];
  for (const label of resolved) {
    let group = groups.find(({ types }) => label.types.every((type) => !types.has(type)));
    if (group === undefined) groups.push((group = { members: [], types: new Set() }));
    group.members.push(label);
    for (const type of label.types) group.types.add(type);
  }
  return groups.map(({ members }) => members);
}

function sourceOf(head: EntityHead, queries: Source['queries'], threshold: number | null): Source {
  const thresholdOf = (query: EntityQuery) => query.threshold ?? threshold ?? head.tagger.decisionPoint;
  const thresholds = [...queries.values()].flat().map(thresholdOf);
  return { head, queries, threshold: Math.min(...thresholds), thresholdOf, isInner: false };
}

function unresolved(label: string, isJudged: boolean): InferWarning {
  const name = JSON.stringify(label);
  return {
    code: 'unresolved_label',
    message: isJudged
      ? `The model knows no entity type for ${name}, which is judged by the meaning of its name. A model that is trained with examples of it is better.`
      : `The model knows no entity type for ${name}. Train a model with examples of it.`,
    label,
  };
}

const NOT_NESTED: InferWarning = {
  code: 'nested_spans',
  message: 'The model learned no nested spans, so "flat_ner": false finds none. Train a model on rows that have them.',
};

const onlyNested = ({ name }: EntityQuery): InferWarning => ({
  code: 'nested_spans',
  message: `The model learned ${JSON.stringify(name)} in other spans alone: ask with "flat_ner": false.`,
  label: name,
});
