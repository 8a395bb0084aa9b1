import type { FieldQuery, InferWarning, StructureQuery, ValueHit } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { MAX_FOUND } from '../head.js';
import { Choices, type FoundValue, type RecordValue, type StructureHead } from '../structures/index.js';
import { matcherOf, unlearned } from '../../matching-labels.js';

/** Instances of a structure: hits of each requested field. */
type Instances = readonly Readonly<Record<string, readonly ValueHit[]>>[];

interface StructureAnswer {
  /** Keyed by the requested structure. */
  readonly structures: Readonly<Record<string, Instances>>;
  readonly inputTokens: number;
  readonly truncated: boolean;
}

/** Structure queries with the head that answers them. */
interface StructurePlan {
  readonly warnings: readonly InferWarning[];
  answer(text: string): Steps<StructureAnswer>;
}

/** A requested structure, the one that the head learned for it, and for each learned field the queries that it answers. */
interface Learned {
  readonly query: StructureQuery;
  readonly structure: string;
  readonly fields: ReadonlyMap<string, readonly Asked[]>;
}

interface Asked {
  readonly query: FieldQuery;
  readonly choices: Choices | null;
}

/** Limits of an answer: the remaining size, and the work done so far. */
interface Room {
  left: number;
  looked: number;
  isFull: boolean;
}

/** Hits looked at in one step. */
const HITS_IN_STEP = 500;

/**
 * Finds the learned structure and field for each requested one; a name that the head did not learn gives a warning and
 * an empty result, never a guess.
 * @param asked threshold of fields without their own
 */
export function planStructures(
  queries: readonly StructureQuery[],
  head: StructureHead,
  asked: number | null,
): StructurePlan {
  const threshold = asked ?? head.decisionPoint;
  const warnings: InferWarning[] = [];
  const matching = matcherOf(head.shapes.map(({ name }) => name));
  const learned = queries.flatMap((query): Learned[] => {
    const structure = matching(query.name);
    if (structure !== null) return [{ query, structure, fields: fieldQueries(query, structure, head, warnings) }];
    warnings.push(unlearned('structure', query.name));
    return [];
  });
  const thresholds = queries.flatMap(({ fields }) => fields.map((field) => field.threshold ?? threshold));
  const lowest = Math.min(threshold, ...thresholds);
  return { warnings, answer: (text) => answer(text, learned, head, threshold, lowest) };
}

function fieldQueries(
  { name, fields }: StructureQuery,
  structure: string,
  { shapes }: StructureHead,
  warnings: InferWarning[],
): Learned['fields'] {
  const shape = shapes.find((each) => each.name === structure)!;
  const matching = matcherOf(shape.fields.map((field) => field.name));
  const queries = new Map<string, Asked[]>();
  for (const query of fields) {
    const field = matching(query.name);
    const asked = { query, choices: query.choices ? new Choices(query.choices) : null };
    if (field === null) warnings.push(unlearned('field', `${name}.${query.name}`));
    else if (queries.get(field)?.push(asked) === undefined) queries.set(field, [asked]);
  }
  return queries;
}

function* answer(
  text: string,
  learned: readonly Learned[],
  head: StructureHead,
  threshold: number,
  lowest: number,
): Steps<StructureAnswer> {
  const { values, inputTokens, truncated } = yield* head.find(text, lowest);
  const structures: [name: string, instances: Instances][] = [];
  // Several names may ask for one structure or field: their hits together are bounded.
  const room: Room = { left: MAX_FOUND, looked: 0, isFull: false };
  for (const { query, structure, fields } of learned) {
    yield;
    const shape = head.shapes.find(({ name }) => name === structure)!;
    const own = values.filter((value) => value.structure === structure && isWanted(value, fields, threshold));
    const instances: Instances[number][] = [];
    for (const record of yield* head.records(text, own, shape, (field) => fields.has(field))) {
      if (room.isFull) break;
      const instance = yield* instanceOf(record, fields, threshold, room);
      if (Object.keys(instance).length > 0) instances.push(instance);
    }
    structures.push([query.name, instances]);
  }
  return { structures: Object.fromEntries(structures), inputTokens, truncated: truncated || room.isFull };
}

/** A value that no query may have must begin no record: an unrequested field counts by the threshold of the call. */
function isWanted({ field, hit }: FoundValue, fields: Learned['fields'], threshold: number): boolean {
  const thresholds = fields.get(field)?.map(({ query }) => query.threshold ?? threshold) ?? [threshold];
  return hit.confidence >= Math.min(...thresholds);
}

function* instanceOf(
  record: readonly RecordValue[],
  fields: Learned['fields'],
  threshold: number,
  room: Room,
): Steps<Instances[number]> {
  const instance = new Map<string, ValueHit[]>();
  for (const value of record)
    for (const { query, choices } of fields.get(value.field) ?? []) {
      if ((room.looked += 1) % HITS_IN_STEP === 0) yield;
      const found = choices ? among(choices, value) : valueOf(value);
      if (found === null || found.confidence < (query.threshold ?? threshold)) continue;
      if (room.left === 0) {
        room.isFull = true;
        return Object.fromEntries(instance);
      }
      room.left -= 1;
      if (instance.get(query.name)?.push(found) === undefined) instance.set(query.name, [found]);
    }
  return Object.fromEntries(instance);
}

/** A learned choice has the place of what says it, if anything does. */
function valueOf({ hit, choice }: Pick<RecordValue, 'hit' | 'choice'>): ValueHit | null {
  if (hit === null) return choice;
  const { text, confidence } = choice ?? hit;
  return { text, confidence, start: hit.start, end: hit.end };
}

/** The requested choice that a value is written like, or that it was learned to mean. */
function among(choices: Choices, { hit, choice }: RecordValue): ValueHit | null {
  const written = hit && choices.find(hit.text);
  if (written != null) return valueOf({ hit, choice: { text: written, confidence: hit!.confidence } });
  const learned = choice && choices.find(choice.text);
  return learned == null ? null : valueOf({ hit, choice: { text: learned, confidence: choice!.confidence } });
}
