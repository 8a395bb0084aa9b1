import type {
  ClassHit,
  ClassificationQuery,
  EntityHit,
  Example,
  LabelledRecord,
  LabelledRelation,
  Prediction,
} from '../../engine.js';
import { matcherOf } from '../../matching-labels.js';
import { drain } from '../../steps.js';
import type { RelationHead } from '../relations/index.js';
import { groupRecords, type StructureHead } from '../structures/index.js';
import { planClassification } from './class-answers.js';
import { planEntities } from './entity-answers.js';
import { requireHeads, TRAINED_HEADS, type ModelHeads } from './heads.js';

/** Name of the label group when a trained model answers with its own labels. */
const ownTask = 'classification';
/** The threshold of evaluations, since a gold row has no confidence. */
const evaluationThreshold = 0.5;

/**
 * Predictions for the heads that each example is labelled for, under the labels of the examples and the learned ones;
 * with nested spans if the model learned such.
 */
export function predict(model: ModelHeads, examples: readonly Example[], onExample?: () => void): Prediction[] {
  requireHeads(
    model,
    TRAINED_HEADS.filter((head) => examples.some((example) => (example[head]?.length ?? 0) > 0)),
  );
  const gold = examples.flatMap((example) => (example.entities ?? []).map((entity) => entity.label));
  const entityPlan = planEntities(
    union(gold, model.entities?.labels ?? []).map((name) => ({ name })),
    model,
    { threshold: evaluationThreshold, flat: (model.entities?.inner ?? []).length === 0 },
  );
  const classQuery = classQueryFor(model, examples);
  const classPlan = drain(
    planClassification(classQuery, model.classes, model.names, model.base.table, evaluationThreshold),
  );
  const predicted = (example: Example): Prediction => ({
    text: example.text,
    ...(example.entities === undefined
      ? {}
      : foundEntities(Object.values(drain(entityPlan.answer(example.text)).entities).flat())),
    ...(example.labels === undefined || classQuery.labels.length === 0
      ? {}
      : foundLabels(classPlan.answer(example.text).hits)),
    ...(example.relations === undefined
      ? {}
      : { relations: model.relations === null ? [] : relationsIn(example.text, model.relations) }),
    ...(example.structures === undefined
      ? {}
      : { structures: model.structures === null ? [] : recordsIn(example.text, model.structures) }),
  });
  return examples.map((example) => {
    const prediction = predicted(example);
    onExample?.();
    return prediction;
  });
}

function foundEntities(hits: readonly EntityHit[]): Pick<Prediction, 'entities' | 'entityConfidences'> {
  const inOrder = hits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return {
    entities: inOrder.map(({ start, end, label }) => ({ start, end, label })),
    entityConfidences: inOrder.map(({ confidence }) => confidence),
  };
}

const foundLabels = (hits: readonly ClassHit[]): Pick<Prediction, 'labels' | 'labelConfidences'> => ({
  labels: hits.map(({ label }) => label),
  labelConfidences: hits.map(({ confidence }) => confidence),
});

const relationsIn = (text: string, relationHead: RelationHead): readonly LabelledRelation[] =>
  drain(relationHead.find(text, evaluationThreshold)).relations.map(({ name, head, tail }) => ({
    name,
    head: { start: head.start, end: head.end },
    tail: { start: tail.start, end: tail.end },
  }));

function recordsIn(text: string, head: StructureHead): readonly LabelledRecord[] {
  const { values } = drain(head.find(text, evaluationThreshold));
  return head.shapes.flatMap(({ name, fields }) =>
    groupRecords(
      values.filter(({ structure }) => structure === name),
      fields,
    ).map((record) => ({
      name,
      fields: fields.flatMap((field) => {
        const own = record
          .filter((value) => value.field === field.name)
          .map(({ hit: { start, end } }) => ({ start, end }));
        return own.length === 0 ? [] : [{ ...field, values: own }];
      }),
    })),
  );
}

/**
 * A classifier that knows any of the examples' labels answers with all its labels, and is wrong on the others; one that
 * knows none of them, or has no labels, is judged on choosing among the examples' labels unseen.
 */
function classQueryFor({ classes }: ModelHeads, examples: readonly Example[]): ClassificationQuery {
  const rows = examples.flatMap((example) => (example.labels === undefined ? [] : [example.labels]));
  const gold = [...new Set(rows.flat())].sort();
  const learned = classes?.labels ?? [];
  const matching = matcherOf(learned);
  const known = gold.filter((label) => matching(label) !== null);
  if (classes !== null && known.length > 0)
    return { task: ownTask, labels: union(known, learned), multiLabel: classes.multiLabel };
  return { task: ownTask, labels: gold, multiLabel: rows.some((labels) => labels.length !== 1) };
}

/** The labels as the examples write them, and those of the model that the examples lack. */
function union(gold: readonly string[], learned: readonly string[]): string[] {
  const written = [...new Set(gold)].sort();
  const matching = matcherOf(written);
  return [...written, ...learned.filter((label) => matching(label) === null)];
}
