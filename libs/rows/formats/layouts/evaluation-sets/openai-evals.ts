import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';
import { answerField, isMessages, isSaid, questionIn, rowsOf } from './cases.js';

/**
 * Data of OpenAI Evals: rows `{"item": {...}}`; output items of a run, which have the messages that were sent; and samples of the open
 * source framework, `{"input": [messages], "ideal"}` (https://platform.openai.com/docs/api-reference/evals).
 */
export const openAiEvals: Layout = {
  name: 'openai-evals',
  title: 'OpenAI Evals',
  unit: 'items',
  offsets: 'code points',
  needs: [
    {
      what: '"item", "datasource_item", or "input" with "ideal"',
      holds: (row) => itemOf(row) !== null || ('ideal' in row && isSaid(row.input)),
    },
  ],
  read(row, context) {
    const item = itemOf(row);
    if (item === null) return sample(row, context);
    const field = answerField(item);
    if (field === undefined) return rowsOf({ question: '', expected: undefined, field: 'item', others: {} }, context);
    const { [field]: expected, ...fields } = item;
    const { item: _, datasource_item: __, results, sample: answered, ...others } = row;
    if (isSaid(results)) context.tell('with results of graders left out');
    if (isSaid(answered)) context.tell('with the answer of a model left out');
    const sent = isObject(answered) && isMessages(answered.input) ? { question: answered.input, others: fields } : null;
    const asked = sent ?? questionIn(fields, context);
    context.tell(`with the expected answer under ${JSON.stringify(field)}`);
    const ids = Object.fromEntries(Object.entries(others).filter(([name]) => name === 'id' || name.endsWith('_id')));
    return rowsOf(
      { question: asked.question, expected, field: `item.${field}`, others: { ...ids, ...asked.others } },
      context,
    );
  },
};

function itemOf({ item, datasource_item: source }: JsonObject): JsonObject | null {
  if (isObject(item)) return item;
  return isObject(source) ? source : null;
}

function sample({ input, ideal, ...others }: JsonObject, context: RowContext): readonly JsonObject[] {
  const all = Array.isArray(ideal) ? (ideal as readonly Json[]) : [ideal];
  if (all.length > 1) context.tell('with further ideal answers left out');
  return rowsOf({ question: input, expected: all[0], field: 'ideal', others }, context);
}
