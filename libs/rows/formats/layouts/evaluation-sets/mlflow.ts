import { isObject } from '../../rows/kinds.js';
import type { Layout } from '../layout.js';
import { answerField, fromCell, questionIn, rowsOf } from './cases.js';

/** Records of an evaluation dataset of MLflow: `inputs` and `expectations` (https://mlflow.org/docs/latest/genai/datasets). */
export const mlflow: Layout = {
  name: 'mlflow',
  title: 'an evaluation dataset of MLflow',
  unit: 'records',
  offsets: 'code points',
  needs: [
    { what: 'an object "inputs"', holds: ({ inputs }) => isObject(fromCell(inputs)) },
    { what: 'an object "expectations"', holds: ({ expectations }) => isObject(fromCell(expectations)) },
  ],
  read(row, context) {
    const { inputs: asked, expectations: expecting, outputs, ...others } = row;
    const [inputs, expectations] = [fromCell(asked), fromCell(expecting)];
    if (!isObject(inputs) || !isObject(expectations)) {
      context.refuse('', 'must have the objects inputs and expectations');
      return [];
    }
    const field = answerField(expectations);
    const further = Object.keys(expectations).filter((name) => name !== field);
    if (further.includes('expected_facts')) context.tell('with expected_facts, which a judge grades, left out');
    if (further.includes('guidelines')) context.tell('with guidelines, which a judge grades, left out');
    if (further.some((name) => !['expected_facts', 'guidelines'].includes(name)))
      context.tell('with further expectations left out');
    if (outputs !== undefined && outputs !== null) context.tell('with the answer of a model left out');
    const { question, others: beside } = questionIn(inputs, context);
    const expected = field === undefined ? undefined : expectations[field];
    return rowsOf({ question, expected, field: `expectations.${field}`, others: { ...others, ...beside } }, context);
  },
};
