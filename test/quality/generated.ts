/**
 * Training rows of the built-in generator for the heads that `templated-heads.ts` tests: no template of its rows is one of the tests',
 * and the fields and relations are asked for by name, as `POST /generate` is.
 */
import type { FieldSpec, RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { seedRow } from '#rows/synthetic/built-in/draw.js';
import { planOf } from '#rows/synthetic/built-in/plan.js';
import { isValidRow } from '#rows/synthetic/collect.js';
import type { Row } from './row.js';

const ROWS = 400;
const FIELDS = ['count', 'item', 'first_name', 'city'];
const RELATIONS = ['works_for', 'lives_in', 'based_in', 'bought'];

/** The test rows call it `who`, a name that the generator does not know. */
export const generatedStructures = (): Row[] =>
  made({ structures: [{ name: 'order', fields: FIELDS.map(field) }] }).map(
    (row) => JSON.parse(JSON.stringify(row).replaceAll('"first_name":', '"who":')) as Row,
  );

export const generatedRelations = (): Row[] =>
  made({
    relations: RELATIONS.map((name) => ({
      ...{ name, description: null },
      ...(name === 'works_for' ? { head: 'person', tail: 'company' } : { head: null, tail: null }),
    })),
  }) as unknown as Row[];

function made(heads: Pick<RowsRequest, 'structures' | 'relations'>): readonly JsonObject[] {
  const request: RowsRequest = {
    ...{ taskType: 'ner', count: ROWS, seed: 1, labels: [], fields: [], inputFields: [], outputFields: [] },
    ...{ domainDescription: null, prompt: null, instruction: null, classifiedExamples: [] },
    ...heads,
  };
  const { make } = planOf(request);
  const rows: JsonObject[] = [];
  for (let row = 0; rows.length < ROWS; row += 1) {
    seedRow(request.seed, row);
    const next = make(row);
    if (next !== null && isValidRow(next, request.taskType)) rows.push(next);
  }
  return rows;
}

const field = (name: string): FieldSpec => ({ name, type: 'string', description: null, choices: null });
