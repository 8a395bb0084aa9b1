import type { Layout } from '../layout.js';
import { fromCell, isMessages, questionIn, rowsOf } from './cases.js';
import { isObject } from '../../rows/kinds.js';

/** Questions of rows whose `input` goes with these. */
const OF_CHATS = ['messages', 'instruction', 'prompt', 'question', 'output'];

/** Items of a dataset of Langfuse, exported from its table or listed by its API. */
export const langfuseDataset: Layout = {
  name: 'langfuse-dataset',
  title: 'a dataset of Langfuse',
  unit: 'items',
  offsets: 'code points',
  needs: [
    { what: '"input"', holds: (row) => 'input' in row },
    {
      what: '"expectedOutput"',
      holds: (row) => 'expectedOutput' in row || ('expected_output' in row && !OF_CHATS.some((key) => key in row)),
    },
  ],
  read(row, context) {
    const { input: asked, expectedOutput, expected_output: stored, status, ...others } = row;
    if (status === 'ARCHIVED') {
      context.tell('archived ones left out');
      return [];
    }
    const input = fromCell(asked) ?? null;
    const { question, others: beside } =
      isObject(input) && !isMessages(input) ? questionIn(input, context) : { question: input, others: {} };
    const given = fromCell(expectedOutput ?? stored) ?? null;
    // Answers of chats are messages, too.
    const expected = isObject(given) && given.role === 'assistant' && 'content' in given ? given.content : given;
    const field = 'expectedOutput' in row ? 'expectedOutput' : 'expected_output';
    return rowsOf({ question, expected, field, others: { ...others, ...beside } }, context);
  },
};
