import type { Example, LabelledField, LabelledRecord, LabelledRelation, Prediction } from '../../engine.js';
import { classQueriesOf, foundClasses, foundEntities, union } from '../../evaluation-queries.js';
import { drain } from '../../steps.js';
import type { RelationHead } from '../relations/index.js';
import type { RecordValue, StructureHead } from '../structures/index.js';
import { planClassification } from './class-answers.js';
import { planEntities } from './entity-answers.js';
import { requireHeads, TRAINED_HEADS, type ModelHeads } from './heads.js';

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
    { threshold: null, flat: (model.entities?.inner ?? []).length === 0 },
  );
  const classPlans = new Map(
    classQueriesOf(model.classes, examples).map((query) => [query.task, drain(planClassification(query, model, null))]),
  );
  const predicted = (example: Example): Prediction => ({
    text: example.text,
    ...(example.entities === undefined
      ? {}
      : foundEntities(Object.values(drain(entityPlan.answer(example.text)).entities).flat())),
    ...foundClasses(example, (task) => classPlans.get(task)?.answer(example.text).hits ?? null),
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

const relationsIn = (text: string, relationHead: RelationHead): readonly LabelledRelation[] =>
  drain(relationHead.find(text, relationHead.decisionPoint)).relations.map(({ name, head, tail }) => ({
    name,
    head: { start: head.start, end: head.end },
    tail: { start: tail.start, end: tail.end },
  }));

function recordsIn(text: string, head: StructureHead): readonly LabelledRecord[] {
  const { values } = drain(head.find(text, head.decisionPoint));
  return head.shapes.flatMap((shape) => {
    const own = values.filter(({ structure }) => structure === shape.name);
    return drain(head.records(text, own, shape, () => true)).map((record) => ({
      name: shape.name,
      fields: shape.fields.flatMap(({ name, isList }) => {
        const said = saidBy(
          record.filter(({ field }) => field === name),
          head.decisionPoint,
        );
        return said.values.length + (said.choices ?? []).length === 0 ? [] : [{ name, isList, ...said }];
      }),
    }));
  });
}

function saidBy(found: readonly RecordValue[], threshold: number): Pick<LabelledField, 'values' | 'choices'> {
  const choices = found.flatMap(({ choice }) => (choice && choice.confidence >= threshold ? [choice.text] : []));
  const values = found.flatMap(({ hit, choice }) =>
    hit && choice === null ? [{ start: hit.start, end: hit.end }] : [],
  );
  return { values, ...(choices.length > 0 && { choices }) };
}
