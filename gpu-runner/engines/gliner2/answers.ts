import type { ClassHit, EntityHit, FieldQuery, InferResult, InferSchema, ValueHit } from '../engine.js';
import type { Steps } from '../steps.js';
import { withoutOverlaps } from '../without-overlaps.js';
import type { Gliner2Model } from './open.js';
import { runPass, type PassResult } from './pass.js';
import { passesOf } from './passes.js';
import { hasChoices, promptOf, type Prompt, type PromptPart } from './prompt.js';
import { hitOf } from './spans.js';
import { readText, type ReadText } from './text.js';

interface Answer {
  readonly result: InferResult;
  readonly inputTokens: number;
}

/** A schema, ready for texts. */
export interface SchemaPlan {
  answer(text: string): Steps<Answer>;
}

/**
 * Answers as the torch engine does, which asks the Python package `gliner2`.
 * @param threshold for queries without their own
 * @throws RefusedSchemaError as `promptOf`
 */
export function planSchema(schema: InferSchema, threshold: number, model: Gliner2Model): SchemaPlan {
  const known = new Map<string, readonly number[]>();
  const tokens = (text: string): readonly number[] => {
    const ids = known.get(text) ?? model.tokens(text);
    if (known.size < MAX_KNOWN) known.set(text, ids);
    return ids;
  };
  const prompts = passesOf(schema).map((tasks) => promptOf(tasks, tokens, model.contextTokens));
  // Every pass reads the same words.
  const least = prompts.reduce((a, b) => (b.textTokens < a.textTokens ? b : a), prompts[0]!);

  function* answer(text: string): Steps<Answer> {
    if (prompts.length === 0) return { result: { ...emptyResult(schema), truncated: false }, inputTokens: 0 };
    const read = readText(text, least, tokens);
    const result = emptyResult(schema);
    for (const prompt of read.words.length === 0 ? [] : prompts) {
      const found = runPass(model, prompt, read);
      for (const part of prompt.parts) fill(result, { part, found, text: read, prompt, schema, threshold });
      yield;
    }
    return { result: { ...result, truncated: read.truncated }, inputTokens: read.inputTokens };
  }
  return { answer };
}

/** Words of a call whose tokens are kept. */
const MAX_KNOWN = 10_000;

type Mutable<T> = { -readonly [Key in keyof T]?: Exclude<T[Key], undefined> };
type Heads = Mutable<{
  entities: Record<string, readonly EntityHit[]>;
  classifications: Record<string, readonly ClassHit[]>;
  structures: Record<string, readonly Readonly<Record<string, readonly ValueHit[]>>[]>;
  relations: Record<string, readonly { readonly head: ValueHit; readonly tail: ValueHit }[]>;
}>;

/** The answer to a text in which nothing is found: of the classes each is as likely as any other. */
function emptyResult({ entities, classifications, structures, relations }: InferSchema): Heads {
  const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, []]));
  return {
    ...(entities && { entities: empty(entities.map(({ name }) => name)) }),
    ...(classifications && {
      classifications: Object.fromEntries(
        classifications.map((query) => {
          const labels = [...new Set(query.labels)];
          const chance = query.multiLabel ? 0 : 1 / Math.max(1, labels.length);
          return [
            query.task,
            best(
              query,
              labels.map((label) => ({ label, confidence: chance })),
              1,
            ),
          ];
        }),
      ),
    }),
    ...(structures && { structures: empty(structures.map(({ name }) => name)) }),
    ...(relations && { relations: empty(relations.map(({ name }) => name)) }),
  };
}

interface Context {
  readonly part: PromptPart;
  readonly found: PassResult;
  readonly text: ReadText;
  readonly prompt: Prompt;
  readonly schema: InferSchema;
  readonly threshold: number;
}

function fill(result: Heads, context: Context): void {
  const { task } = context.part;
  if (task.kind === 'entities') Object.assign(result.entities!, entitiesIn(context));
  else if (task.kind === 'classification') result.classifications![task.name] = classesIn(context);
  else if (task.kind === 'structure') result.structures![task.name] = recordsIn(context);
  else result.relations![task.name] = pairsIn(context);
}

function entitiesIn({ part, found, text, schema, threshold }: Context): Readonly<Record<string, readonly EntityHit[]>> {
  const { task } = part;
  if (task.kind !== 'entities' || found.records(part) === 0) return {};
  const candidates = task.queries.flatMap((query, field) =>
    found.scores!.find(found.query(part, 0, field), query.threshold ?? threshold).flatMap((each) => {
      const hit = hitOf(each, text);
      return hit ? [{ ...hit, label: query.name }] : [];
    }),
  );
  const kept = schema.flatNer === false ? candidates : withoutOverlaps(candidates);
  return Object.fromEntries(task.queries.map(({ name }) => [name, kept.filter(({ label }) => label === name)]));
}

function classesIn({ part, found, threshold }: Context): readonly ClassHit[] {
  const { task } = part;
  if (task.kind !== 'classification') return [];
  const { query } = task;
  const scores = found.choiceScores(part);
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  const chances = query.multiLabel
    ? scores.map((score) => 1 / (1 + Math.exp(-score)))
    : powers.map((power) => power / sum);
  return best(
    query,
    query.labels.map((label, at) => ({ label, confidence: chances[at]! })),
    threshold,
  );
}

/** The labels that answer a question, the likeliest first. */
function best(
  {
    topK,
    multiLabel,
    threshold: own,
  }: { readonly topK?: number; readonly multiLabel: boolean; readonly threshold?: number },
  hits: readonly ClassHit[],
  threshold: number,
): readonly ClassHit[] {
  const sorted = hits.toSorted((a, b) => b.confidence - a.confidence);
  if (topK !== undefined) return sorted.slice(0, topK);
  return multiLabel ? sorted.filter(({ confidence }) => confidence >= (own ?? threshold)) : sorted.slice(0, 1);
}

type StructureRecord = Readonly<Record<string, readonly ValueHit[]>>;

function recordsIn(context: Context): readonly StructureRecord[] {
  const { part, found } = context;
  const { task } = part;
  if (task.kind !== 'structure') return [];
  const records = Array.from({ length: found.records(part) }, (_, record): StructureRecord => {
    const fields = task.query.fields.map((field, at) => [field.name, valuesOf(context, field, record, at)] as const);
    return Object.fromEntries(fields.filter(([, values]) => values.length > 0));
  });
  return records.filter((record) => Object.keys(record).length > 0);
}

function valuesOf(context: Context, field: FieldQuery, record: number, at: number): readonly ValueHit[] {
  const { part, found, text, prompt } = context;
  const scores = found.scores!;
  const query = found.query(part, record, at);
  const threshold = field.threshold ?? context.threshold;
  if (!hasChoices(field)) {
    const spans = scores.find(query, threshold);
    return (field.dtype === 'list' ? spans : spans.slice(0, 1)).flatMap((each) => hitOf(each, text) ?? []);
  }
  const words = prompt.prefix.map((word) => word.toLowerCase());
  // As the package does: the first word of this kind, whichever field's choice it is.
  const all = [...new Set(field.choices)].map((choice) => ({
    text: choice,
    confidence: scores.ofPrefix(words.indexOf(choice.toLowerCase()), query),
  }));
  const likely = all.filter(({ confidence }) => confidence >= threshold);
  const isFirst = ({ text: choice }: ValueHit, place: number) =>
    likely.findIndex((other) => other.text.toLowerCase() === choice.toLowerCase()) === place;
  if (field.dtype === 'list') return likely.filter(isFirst);
  return likely.toSorted((a, b) => b.confidence - a.confidence).slice(0, 1);
}

function pairsIn({ part, found, text, threshold }: Context): readonly { head: ValueHit; tail: ValueHit }[] {
  const { task } = part;
  if (task.kind !== 'relation') return [];
  return Array.from({ length: found.records(part) }, (_, record) => record).flatMap((record) => {
    const [head, tail] = [0, 1].map((end) => {
      const [likeliest] = found.scores!.find(found.query(part, record, end), task.query.threshold ?? threshold);
      return likeliest ? hitOf(likeliest, text) : null;
    });
    return head && tail ? [{ head, tail }] : [];
  });
}
