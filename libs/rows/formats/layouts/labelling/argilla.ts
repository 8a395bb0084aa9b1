import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import { isMessages, questionIn, rowsOf, textOf } from '../evaluation-sets/cases.js';
import type { GivenSpan, Layout, RowContext } from '../layout.js';

/**
 * Records of Argilla 2 (`dataset.records.to_json`): the first response to each question counts, and suggestions, which models make, do
 * not. In a dataset of chats a response is the expected answer.
 */
export const argilla: Layout = {
  name: 'argilla',
  title: 'records of Argilla',
  unit: 'records',
  offsets: 'code points',
  needs: [
    { what: 'an object "fields"', holds: ({ fields }) => isObject(fields ?? null) },
    { what: 'an object "responses"', holds: ({ responses }) => isObject(responses ?? null) },
  ],
  read({ fields, responses }, context) {
    const answers = Object.entries(isObject(responses ?? null) ? (responses as JsonObject) : {}).flatMap(
      ([name, given]): [string, Json][] => {
        const values = (Array.isArray(given) ? (given as readonly Json[]) : []).flatMap((each) =>
          isObject(each) && (each.value ?? null) !== null ? [each.value!] : [],
        );
        if (values.length > 1) context.tell('with further responses left out', values.length - 1);
        return values.length > 0 ? [[name, values[0]!]] : [];
      },
    );
    if (answers.length === 0) {
      context.tell('without a response left out');
      return [];
    }
    const { question } = questionIn(isObject(fields ?? null) ? (fields as JsonObject) : {}, context);
    if (context.datasetType === 'decoder') {
      if (answers.length > 1) context.tell('with responses to further questions left out');
      const [[name, expected]] = answers as [[string, Json]];
      return rowsOf({ question, expected, field: `responses.${name}`, others: {} }, context);
    }
    const text = isMessages(question) ? question.map(({ content }) => textOf(content ?? '')).join('\n') : question;
    if (typeof text === 'string') {
      const labels = answers.flatMap((each) => Object.entries(labelsOf(text, each, context)));
      return [{ text, ...Object.fromEntries(labels) }];
    }
    context.refuse('fields', 'have no text');
    return [];
  },
};

function labelsOf(text: string, [name, value]: readonly [string, Json], context: RowContext): JsonObject {
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (Array.isArray(value) && values.every(isObject))
    return {
      entities: context.entities(
        text,
        values.flatMap((each, at) => spanOf(each, `responses.${name}[${at}]`)),
      ),
    };
  if (values.every((each) => typeof each === 'string')) return context.classes(name, values);
  context.tell('with ratings and rankings left out');
  return {};
}

const spanOf = ({ start, end, label }: JsonObject, at: string): readonly GivenSpan[] =>
  typeof start === 'number' && typeof end === 'number' && typeof label === 'string' ? [{ start, end, label, at }] : [];
