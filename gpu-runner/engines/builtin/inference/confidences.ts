import type { ConfidenceFigures } from '#domain/training-job/index.js';
import { confidenceFigures, LEAST_CANDIDATE, type Candidate } from '../../confidence-figures.js';
import type { Example, RowHead } from '../../engine.js';
import { classQueriesOf, tasksOf, union } from '../../evaluation-queries.js';
import { numbered, saidBy } from '../../record-facts.js';
import { drain } from '../../steps.js';
import { planClassification } from './class-answers.js';
import { planEntities } from './entity-answers.js';
import type { ModelHeads } from './heads.js';

/** Proposes answers to a text: each has a key, which equals that of a right answer if it is right. */
type Propose = (text: string) => readonly (readonly [key: string, confidence: number])[];

interface JudgedHead {
  readonly name: RowHead;
  /** As in `ConfidenceFigures`. */
  readonly threshold: number | null;
  readonly propose: Propose;
  /** Keys of the right answers of a row; undefined if it is not labelled for the head. */
  readonly goldOf: (row: Example) => readonly string[] | undefined;
}

/**
 * How far the confidences of the trained heads can be relied on.
 * @param rows that the model did not learn from; none give the thresholds alone
 */
export function confidencesOf(
  model: ModelHeads,
  rows: readonly Example[],
  onExample: () => void,
): Readonly<Record<RowHead, ConfidenceFigures>> {
  return Object.fromEntries(
    [entityHead(model, rows), ...taskHeads(model, rows), structureHead(model), relationHead(model)].flatMap((head) =>
      head === null ? [] : [[head.name, judged(head, rows, onExample)]],
    ),
  );
}

function judged({ threshold, propose, goldOf }: JudgedHead, rows: readonly Example[], onExample: () => void) {
  const candidates: Candidate[] = [];
  let [judgedRows, gold] = [0, 0];
  for (const row of rows) {
    const right = goldOf(row);
    if (right === undefined) continue;
    // A right answer counts once, however often it is proposed.
    const left = new Set(right);
    judgedRows += 1;
    gold += left.size;
    for (const [key, confidence] of propose(row.text)) candidates.push({ confidence, isRight: left.delete(key) });
    onExample();
  }
  return confidenceFigures(judgedRows, candidates, gold, threshold);
}

const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);

function entityHead(model: ModelHeads, rows: readonly Example[]): JudgedHead | null {
  const { entities } = model;
  if (entities === null) return null;
  const gold = rows.flatMap((row) => (row.entities ?? []).map(({ label }) => label));
  const plan = planEntities(
    union(gold, entities.labels).map((name) => ({ name })),
    model,
    { threshold: LEAST_CANDIDATE, flat: entities.inner.length === 0 },
  );
  return {
    name: 'entities',
    threshold: entities.outer.tagger.decisionPoint,
    propose: (text) =>
      Object.values(drain(plan.answer(text)).entities)
        .flat()
        .map(({ start, end, label, confidence }) => [keyOf(start, end, label), confidence]),
    goldOf: (row) => row.entities?.map(({ start, end, label }) => keyOf(start, end, label)),
  };
}

function taskHeads(model: ModelHeads, rows: readonly Example[]): readonly JudgedHead[] {
  const queries = new Map(classQueriesOf(model.classes, rows).map((query) => [query.task, query]));
  return model.classes.map(({ task, labels, multiLabel, decisionPoint }) => {
    const query = queries.get(task) ?? { task, labels, multiLabel };
    const plan = drain(planClassification(query, model, LEAST_CANDIDATE));
    return {
      name: task,
      threshold: query.multiLabel ? decisionPoint : null,
      propose: (text) => plan.answer(text).hits.map(({ label, confidence }) => [keyOf(label), confidence]),
      goldOf: (row) =>
        tasksOf(row)
          .find((each) => each.task === task)
          ?.labels.map((label) => keyOf(label)),
    };
  });
}

function structureHead({ structures }: ModelHeads): JudgedHead | null {
  if (structures === null) return null;
  const withChoices = new Set(
    structures.shapes.flatMap(({ name, fields }) =>
      fields.flatMap((field) => (field.choice ? [keyOf(name, field.name)] : [])),
    ),
  );
  const hasChoices = (structure: string, field: string) => withChoices.has(keyOf(structure, field));
  return {
    name: 'structures',
    threshold: structures.decisionPoint,
    propose: (text) => {
      const { values } = drain(structures.find(text, LEAST_CANDIDATE));
      const stretches = values.filter(({ structure, field }) => !hasChoices(structure, field));
      // Records as they are by default: unlikely values would divide them.
      const likely = values.filter(({ hit }) => hit.confidence >= structures.decisionPoint);
      const choices = structures.shapes.flatMap((shape) => {
        const own = likely.filter(({ structure }) => structure === shape.name);
        return drain(structures.records(text, own, shape, () => true))
          .flat()
          .flatMap(({ field, choice }) =>
            choice ? [[keyOf(shape.name, field, choice.text), choice.confidence] as const] : [],
          );
      });
      const keys = numbered(choices.map(([key]) => key));
      return [
        ...stretches.map(
          ({ structure, field, hit }) => [keyOf(structure, field, hit.start, hit.end), hit.confidence] as const,
        ),
        ...choices.map(([, confidence], index) => [keys[index]!, confidence] as const),
      ];
    },
    goldOf: ({ text, structures: records }) => {
      if (records === undefined) return undefined;
      const fields = records.flatMap(({ name: structure, fields: own }) =>
        own.map((field) => ({ structure, ...field })),
      );
      const stretches = fields.filter(({ structure, name }) => !hasChoices(structure, name));
      const chosen = fields.filter(({ structure, name }) => hasChoices(structure, name));
      return [
        ...stretches.flatMap(({ structure, name, values }) =>
          values.map(({ start, end }) => keyOf(structure, name, start, end)),
        ),
        ...numbered(
          chosen.flatMap(({ structure, name, ...field }) =>
            saidBy(text, field).map((choice) => keyOf(structure, name, choice)),
          ),
        ),
      ];
    },
  };
}

function relationHead({ relations }: ModelHeads): JudgedHead | null {
  if (relations === null) return null;
  const key = (text: string, { name, head, tail }: NonNullable<Example['relations']>[number]): string =>
    keyOf(name, text.slice(head.start, head.end), text.slice(tail.start, tail.end));
  return {
    name: 'relations',
    threshold: relations.decisionPoint,
    propose: (text) =>
      drain(relations.find(text, LEAST_CANDIDATE)).relations.map((found) => [key(text, found), found.confidence]),
    goldOf: (row) => row.relations?.map((relation) => key(row.text, relation)),
  };
}
