import { TAKEN_STRUCTURE_NAMES } from '#domain/dataset/index.js';
import { InvalidError, type InvalidField } from '#domain/errors.js';
import type {
  FieldSpec,
  GenerationTask,
  RelationSpec,
  RowsRequest,
  StructureSpec,
} from '#domain/generation-job/index.js';
import { isPresent } from '#primitives/values.js';
import type { FieldOrder, GenerationOrder, RelationOrder, SavingOrder, StructureOrder } from './order.js';

const DEFAULT_ROWS = 100;

/** Required fields per task. */
const REQUIRED = {
  ner: [],
  classification: ['labels'],
  custom: ['prompt'],
  decoder: ['domain_description'],
  records: ['fields'],
  fields: ['input_fields', 'output_fields'],
} as const satisfies Record<GenerationTask, readonly (keyof GenerationOrder)[]>;

/** @throws InvalidError naming the field that the task needs and the body lacks */
export function rowsRequest(body: GenerationOrder, jobId: string): RowsRequest {
  const { task_type: taskType } = body;
  const missing = REQUIRED[taskType].filter((field) => isMissing(body[field]));
  if (missing.length > 0) throw new InvalidError(missing.map((field) => required(field, `task_type ${taskType}`)));
  refuseHeads(body);
  return {
    taskType,
    count: body.num_examples ?? DEFAULT_ROWS,
    labels: (body.labels ?? []).map((label) => label.trim()),
    ...(isPresent(body.structures) && { structures: body.structures.map(structureSpec) }),
    ...(isPresent(body.relations) && { relations: body.relations.map(relationSpec) }),
    domainDescription: body.domain_description ?? null,
    prompt: body.prompt ?? null,
    instruction: body.instruction ?? null,
    fields: specs(body.fields),
    inputFields: specs(body.input_fields),
    outputFields: specs(body.output_fields),
    classifiedExamples: (body.classified_examples ?? []).map(({ text, label }) => ({ text, label })),
    // Derived from the job's id, so that a repeated request is the same job.
    seed: body.seed ?? Number.parseInt(jobId.slice(0, 8), 16),
  };
}

/**
 * The dataset for the rows; null for none.
 * @throws InvalidError if the rows are to be saved without a name
 */
export function savedIn({ save_dataset, dataset_name }: SavingOrder): string | null {
  if (save_dataset === false) return null;
  if (save_dataset === true && (dataset_name ?? null) === null)
    throw new InvalidError(required('dataset_name', 'save_dataset'));
  return dataset_name ?? null;
}

/** @throws InvalidError naming heads that the task does not have, and fields that no text holds */
function refuseHeads({ task_type: taskType, labels, structures, relations }: GenerationOrder): void {
  const problems: InvalidField[] = [];
  const refuse = (path: readonly (string | number)[], message: string) =>
    problems.push({ path: ['body', ...path], message, type: 'not_allowed' });
  if (taskType === 'ner' && !isPresent(labels) && !isPresent(structures) && !isPresent(relations))
    throw new InvalidError([
      {
        path: ['body', 'labels'],
        message: 'is required with task_type ner, or structures or relations',
        type: 'missing',
      },
    ]);
  if (taskType !== 'ner')
    for (const [field, value] of Object.entries({ structures, relations }))
      if (isPresent(value)) refuse([field], `is for task_type ner, not ${taskType}`);
  structures?.forEach(({ name, fields }, index) => {
    if (TAKEN_STRUCTURE_NAMES.includes(name))
      refuse(['structures', index, 'name'], 'is a name that answers have for something else; choose another');
    fields.forEach(({ type }, at) => {
      if (type === 'number' || type === 'boolean')
        refuse(['structures', index, 'fields', at, 'type'], 'must be string or list: values are copied from the text');
    });
  });
  if (problems.length > 0) throw new InvalidError(problems);
}

const structureSpec = ({ name, fields }: StructureOrder): StructureSpec => ({ name, fields: specs(fields) });

const relationSpec = ({ name, head, tail, description }: RelationOrder): RelationSpec => ({
  ...{ name, head: head ?? null, tail: tail ?? null },
  description: description ?? null,
});

const isMissing = (value: unknown): boolean => (value ?? null) === null || (typeof value === 'string' && !value.trim());

const required = (field: string, by: string): InvalidField => ({
  path: ['body', field],
  message: `is required with ${by}`,
  type: 'missing',
});

const specs = (fields: readonly FieldOrder[] | null | undefined): readonly FieldSpec[] =>
  (fields ?? []).map(({ name, type, description, choices }) => ({
    name,
    type: type ?? 'string',
    description: description ?? null,
    choices: choices ?? null,
  }));
