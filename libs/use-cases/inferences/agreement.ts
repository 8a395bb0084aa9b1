import { needsCorrection, type Verdict } from '#domain/feedback/index.js';
import type { Json } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/** A call that several reviewers judged. */
export interface JudgedCall {
  readonly id: string;
  readonly verdicts: readonly ReviewerJudgement[];
}

export interface ReviewerJudgement {
  readonly reviewer: string;
  readonly verdict: Verdict;
  /** The right answer according to the reviewer: the correction, or the answer; null when unsure or unknown. */
  readonly right: Json;
}

interface Both {
  readonly id: string;
  readonly a: ReviewerJudgement;
  readonly b: ReviewerJudgement;
}

const MAX_DISAGREEMENTS = 100;

/** Compares the verdicts of each two reviewers. */
export function agreementOf(calls: readonly JudgedCall[]) {
  const pairs = Map.groupBy(calls.flatMap(pairsOf), ({ a, b }) => JSON.stringify([a.reviewer, b.reviewer]));
  const disputed = calls.filter((call) => pairsOf(call).some(differ)).map(({ id }) => id);
  return {
    calls: calls.length,
    pairs: [...pairs.values()].map(pairRecord).sort((a, b) => b.calls - a.calls),
    disagreements: disputed.slice(0, MAX_DISAGREEMENTS),
  };
}

function pairsOf({ id, verdicts }: JudgedCall): Both[] {
  const sorted = verdicts.toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
  return sorted.flatMap((a, index) => sorted.slice(index + 1).map((b) => ({ id, a, b })));
}

function pairRecord(judged: readonly Both[]) {
  const { a, b } = judged[0]!;
  const found = judged.flatMap((each) => {
    const [ofA, ofB] = [entitiesIn(each.a.right), entitiesIn(each.b.right)];
    return ofA && ofB ? [[ofA, ofB] as const] : [];
  });
  return {
    reviewers: [a.reviewer, b.reviewer],
    calls: judged.length,
    agreed: judged.filter((each) => each.a.verdict === each.b.verdict).length,
    kappa: cohensKappa(judged.map((each) => [each.a.verdict, each.b.verdict])),
    entity_calls: found.length,
    entity_f1: entityF1(found),
  };
}

const differ = ({ a, b }: Both): boolean =>
  a.verdict !== b.verdict || (needsCorrection(a.verdict) && JSON.stringify(a.right) !== JSON.stringify(b.right));

/**
 * Cohen's kappa (1960): two reviewers' agreement beyond chance, relative to the possible one.
 * @returns null if chance alone explains all: both gave the same verdict throughout
 */
export function cohensKappa(judged: readonly (readonly [string, string])[]): number | null {
  const share = (holds: (pair: readonly [string, string]) => boolean) => judged.filter(holds).length / judged.length;
  const expected = [...new Set(judged.flat())].reduce(
    (sum, verdict) => sum + share(([a]) => a === verdict) * share(([, b]) => b === verdict),
    0,
  );
  return expected === 1 ? null : (share(([a, b]) => a === b) - expected) / (1 - expected);
}

interface Entity {
  readonly label: string;
  readonly text: string;
  /** null: not given. */
  readonly start: number | null;
  /** Index of the text, of several. */
  readonly of: number;
}

/** Twice the number that both have, divided by the sum of what each has; null if neither has any. */
function entityF1(calls: readonly (readonly [readonly Entity[], readonly Entity[]])[]): number | null {
  const all = calls.reduce((sum, [a, b]) => sum + a.length + b.length, 0);
  return all === 0 ? null : (2 * calls.reduce((sum, [a, b]) => sum + inBoth(a, b), 0)) / all;
}

/** Entities with a start are matched first: one without may match any of its label and text. */
function inBoth(a: readonly Entity[], b: readonly Entity[]): number {
  const rest = [...b];
  const take = (fits: (other: Entity) => boolean): boolean => {
    const at = rest.findIndex(fits);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  };
  const same = (x: Entity, y: Entity) => x.label === y.label && x.text === y.text && x.of === y.of;
  const inexact = a.filter((x) => x.start === null || !take((y) => same(x, y) && x.start === y.start));
  const matched = inexact.filter((x) => take((y) => same(x, y) && (x.start === null || y.start === null)));
  return a.length - inexact.length + matched.length;
}

/** The entities of an answer, or of each of a batch's; null if it has no such head. */
function entitiesIn(right: Json): readonly Entity[] | null {
  const results = Array.isArray(right) ? (right as readonly Json[]) : [right];
  const heads = results.map((result) => (isRecord(result) ? headOf(result['entities'] as Json) : null));
  if (!heads.some(Boolean)) return null;
  return heads.flatMap((head, of) =>
    Object.entries(head ?? {}).flatMap(([label, hits]) =>
      (Array.isArray(hits) ? (hits as readonly Json[]) : [hits as Json]).flatMap((hit) => entityOf(hit, label, of)),
    ),
  );
}

/** Unformatted results of /gliner-2 are lists of one. */
function headOf(head: Json | undefined): Readonly<Record<string, unknown>> | null {
  const value: unknown = Array.isArray(head) && head.length === 1 ? head[0] : head;
  return isRecord(value) ? value : null;
}

function entityOf(hit: Json, label: string, of: number): Entity[] {
  if (typeof hit === 'string') return [{ label, text: hit, start: null, of }];
  if (!isRecord(hit) || typeof hit['text'] !== 'string') return [];
  return [{ label, text: hit['text'], start: typeof hit['start'] === 'number' ? hit['start'] : null, of }];
}
