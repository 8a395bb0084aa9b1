import type { InferWarning, RelationQuery, ValueHit } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { MAX_FOUND } from '../head.js';
import { nameOfType, type FoundRelation, type RelationHead } from '../relations/index.js';
import { matcherOf, unlearned } from '../../matching-labels.js';

interface RelationAnswer {
  /** Keyed by the requested relation. */
  readonly relations: Readonly<Record<string, readonly { readonly head: ValueHit; readonly tail: ValueHit }[]>>;
  readonly inputTokens: number;
  readonly truncated: boolean;
}

/** Relation queries with the head that answers them. */
interface RelationPlan {
  readonly warnings: readonly InferWarning[];
  answer(text: string): Steps<RelationAnswer>;
}

/** A requested relation, the one that the head learned for it, and the types of its ends: null for any. */
interface Learned {
  readonly query: RelationQuery;
  readonly relation: string;
  readonly head: string | null;
  readonly tail: string | null;
}

/**
 * Finds the learned relation for each requested one; a relation or type that the head did not learn gives a warning and
 * an empty list, never a guess.
 * @param asked threshold of relations without their own
 */
export function planRelations(
  queries: readonly RelationQuery[],
  head: RelationHead,
  asked: number | null,
): RelationPlan {
  const threshold = asked ?? head.decisionPoint;
  const warnings: InferWarning[] = [];
  const matching = matcherOf(head.relations.map(({ name }) => name));
  const learned = queries.flatMap((query): Learned[] => {
    const relation = matching(query.name);
    if (relation === null) {
      warnings.push(unlearned('relation', query.name));
      return [];
    }
    const ends = endTypes(query, relation, head, warnings);
    return ends === null ? [] : [{ query, relation, ...ends }];
  });
  const lowest = Math.min(threshold, ...queries.map((query) => query.threshold ?? threshold));
  return {
    warnings,
    *answer(text) {
      const { relations, inputTokens, truncated } = yield* head.find(text, lowest);
      const answers = queries.map(({ name }) => [name, [] as { head: ValueHit; tail: ValueHit }[]] as const);
      const byName = new Map(answers);
      // Several names may ask for one relation: their hits together are bounded.
      let room = MAX_FOUND;
      let isFull = false;
      for (const { query, ...wanted } of learned) {
        yield;
        for (const found of relations) {
          if (!fits(found, wanted) || found.confidence < (query.threshold ?? threshold)) continue;
          isFull = room === 0;
          if (isFull) break;
          room -= 1;
          byName.get(query.name)!.push({ head: endOf(found, 'head'), tail: endOf(found, 'tail') });
        }
        if (isFull) break;
      }
      return { relations: Object.fromEntries(answers), inputTokens, truncated: truncated || isFull };
    },
  };
}

/** @returns null, with a warning, if the head did not learn an end's type */
function endTypes(
  query: RelationQuery,
  relation: string,
  { relations }: RelationHead,
  warnings: InferWarning[],
): Pick<Learned, 'head' | 'tail'> | null {
  const { types } = relations.find(({ name }) => name === relation)!;
  const typeOf = (asked: string | undefined, end: 0 | 1): string | null | undefined => {
    if (asked === undefined) return null;
    const named = types.flatMap((pair) => nameOfType(pair[end]) ?? []);
    if (named.length === 0) {
      warnings.push(unchecked(query.name, asked));
      return null;
    }
    const type = matcherOf(named)(asked);
    if (type !== null) return type;
    warnings.push(unlearned('type of this relation', asked));
    return undefined;
  };
  const [head, tail] = [typeOf(query.head, 0), typeOf(query.tail, 1)];
  return head === undefined || tail === undefined ? null : { head, tail };
}

function fits({ name, head, tail }: FoundRelation, wanted: Omit<Learned, 'query'>): boolean {
  return (
    name === wanted.relation &&
    (wanted.head === null || nameOfType(head.type) === wanted.head) &&
    (wanted.tail === null || nameOfType(tail.type) === wanted.tail)
  );
}

/** An end of a relation. Its confidence is the relation's, which the interface has no other place for. */
function endOf(found: FoundRelation, end: 'head' | 'tail'): ValueHit {
  const { text, start, end: stop } = found[end].hit;
  return { text, confidence: found.confidence, start, end: stop };
}

const unchecked = (relation: string, label: string): InferWarning => ({
  code: 'unchecked_type',
  message:
    `The rows that ${JSON.stringify(relation)} was learned from name no entity types: its ends are not checked to be ` +
    `${JSON.stringify(label)}. Train a model on rows with entities beside the relations.`,
  label,
});
