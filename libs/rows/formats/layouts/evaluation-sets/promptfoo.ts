import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';
import { isMessages, isSaid, questionIn, rowsOf, textOf } from './cases.js';

/** Assertions whose value is the answer that they compare with, and what an evaluation has for them. */
const COMPARED: Readonly<Record<string, string | null>> = {
  equals: 'exact_match',
  bleu: 'bleu',
  'rouge-n': 'rouge_l',
  similar: null,
  levenshtein: null,
  factuality: null,
  'model-graded-factuality': null,
};
/** Assertions that say nothing of an answer to compare with (https://www.promptfoo.dev/docs/configuration/expected-outputs). */
const OTHERS = [
  ...[
    'contains',
    'contains-all',
    'contains-any',
    'icontains',
    'icontains-all',
    'icontains-any',
    'starts-with',
    'regex',
  ],
  ...['is-json', 'contains-json', 'is-xml', 'contains-xml', 'is-html', 'contains-html', 'is-sql', 'contains-sql'],
  ...['llm-rubric', 'grade', 'g-eval', 'model-graded-closedqa', 'answer-relevance', 'search-rubric', 'is-refusal'],
  ...[
    'context-faithfulness',
    'context-recall',
    'context-relevance',
    'conversation-relevance',
    'select-best',
    'max-score',
  ],
  ...[
    'javascript',
    'fn',
    'eval',
    'python',
    'ruby',
    'webhook',
    'classifier',
    'moderation',
    'guardrails',
    'pi',
    'meteor',
  ],
  ...['gleu', 'cost', 'latency', 'perplexity', 'perplexity-score', 'finish-reason', 'word-count', 'tool-call-f1'],
  ...['is-valid-function-call', 'is-valid-openai-function-call', 'is-valid-openai-tools-call', 'skill-used'],
] as const;
const ASSERTION = new RegExp(
  `^(not-)?(${[...Object.keys(COMPARED), ...OTHERS].join('|')})(?:\\((?:[\\d.]+)\\))?(?:\\s*:\\s*([^]*))?$`,
);
const EXPECTED = /^__expected\d*$/;

/** Tests of Promptfoo: a CSV file with `__expected` columns, or test cases with `vars` and `assert`. */
export const promptfoo: Layout = {
  name: 'promptfoo',
  title: 'tests of Promptfoo',
  unit: 'tests',
  offsets: 'code points',
  needs: [
    {
      what: 'a column __expected, or "vars" with "assert"',
      holds: (row) =>
        Object.keys(row).some((name) => EXPECTED.test(name)) || (isObject(row.vars ?? null) && 'assert' in row),
    },
  ],
  read(row, context) {
    const { vars, others, assertions } = isObject(row.vars ?? null) ? testOf(row) : tableRow(row, context);
    const expected = expectedOf(assertions, context);
    const { question, others: beside } = questionIn(vars, context);
    const asked = isMessages(question) ? question : isSaid(question) ? around(row, textOf(question!)) : question;
    return rowsOf({ question: asked, expected, field: '__expected', others: { ...others, ...beside } }, context);
  },
};

interface Assertion {
  readonly type: string;
  readonly value: Json | undefined;
}

interface Test {
  readonly vars: JsonObject;
  readonly others: JsonObject;
  readonly assertions: readonly Assertion[];
}

function testOf({ vars, assert, ...others }: JsonObject): Test {
  const all = (Array.isArray(assert) ? (assert as readonly Json[]) : []).flatMap((each) =>
    isObject(each) && typeof each.type === 'string' ? [{ type: each.type, value: each.value }] : [],
  );
  return { vars: vars as JsonObject, others, assertions: all };
}

function tableRow(row: JsonObject, context: RowContext): Test {
  const own = Object.entries(row).filter(([name]) => name.startsWith('__'));
  const others = own.filter(([name]) => !EXPECTED.test(name) && name !== '__prefix' && name !== '__suffix');
  if (others.some(([name]) => name !== '__description' && !name.startsWith('__metadata:')))
    context.tell('with settings of assertions left out');
  const assertions = own
    .filter(([name, value]) => EXPECTED.test(name) && isSaid(value))
    .map(([, value]) => assertionOf(textOf(value!)));
  const vars = Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('__')));
  return { vars, others: Object.fromEntries(others), assertions };
}

/** A text without the name of an assertion is the answer itself. */
function assertionOf(text: string): Assertion {
  const [whole, not = '', type, value] = ASSERTION.exec(text.trim()) ?? [];
  return whole === undefined ? { type: 'equals', value: text } : { type: `${not}${type}`, value };
}

/** The answer of the most exact assertion that has one; tells what becomes of each. */
function expectedOf(assertions: readonly Assertion[], context: RowContext): Json | undefined {
  const [best] = Object.keys(COMPARED).flatMap((type) =>
    assertions.filter((each) => each.type === type && isSaid(each.value) && !isFile(each.value)),
  );
  for (const assertion of assertions) {
    const figure = COMPARED[assertion.type] ?? null;
    if (assertion === best) context.tell(figure === null ? answerOf(best.type) : gradedBy(best.type, figure));
    else context.tell(`with ${named(assertion.type)} left out`);
  }
  return best?.value;
}

const gradedBy = (type: string, figure: string): string => `with ${type}, which is ${figure} of an evaluation`;
const answerOf = (type: string): string => `with the answer of ${type}, whose score is left out`;
const isFile = (value: Json | undefined): boolean => typeof value === 'string' && value.startsWith('file://');

/** One of few names: the file may have any. */
const named = (type: string): string => {
  const bare = type.replace(/^not-/, '');
  return Object.hasOwn(COMPARED, bare) || (OTHERS as readonly string[]).includes(bare) ? type : 'other assertions';
};

const around = ({ __prefix: prefix, __suffix: suffix }: JsonObject, question: string): string =>
  [prefix, question, suffix].filter((part) => typeof part === 'string').join('');
