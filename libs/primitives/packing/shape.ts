import { isRecord, type Json } from '#domain/json.js';

/**
 * The shape of a value, as JSON: its objects and lists, with 0 in place of each single value. Values of one kind have few
 * shapes, so that each is kept once.
 */
export const shapeOf = (value: Json): string => JSON.stringify(shape(value));

function shape(value: Json | undefined): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(shape);
  if (!isRecord(value)) return 0;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, shape(each)]])),
  );
}

/** A shape to make values of: null for a single value; a list without keys. */
export type Plan = ObjectPlan | null;

interface ObjectPlan {
  readonly keys: readonly string[] | null;
  readonly members: readonly Plan[];
  /** The last object made of it. A copy has its members in place, which is half the cost of adding each. */
  last: Readonly<Record<string, Json>> | null;
}

export function planOf(of: Json): Plan {
  if (Array.isArray(of)) return { keys: null, members: (of as readonly Json[]).map(planOf), last: null };
  if (!isRecord(of)) return null;
  return { keys: Object.keys(of), members: Object.values(of).map((each) => planOf(each ?? null)), last: null };
}

/** A value of a shape, made of single ones in their order. */
export function filled(plan: Plan, values: { next(): Json }): Json {
  if (plan === null) return values.next();
  const { keys, members } = plan;
  if (keys === null) return members.map((member) => filled(member, values));
  const value: Record<string, Json> = { ...plan.last };
  for (let at = 0; at < keys.length; at += 1) {
    const member = members[at]!;
    value[keys[at]!] = member === null ? values.next() : filled(member, values);
  }
  plan.last = value;
  return value;
}
