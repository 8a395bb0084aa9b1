import type { Json, JsonObject } from '#domain/json.js';
import { isPresent } from '#primitives/values.js';
import { isObject, listOf } from '../../rows/kinds.js';
import { quote } from '../../rows/spans.js';
import { questionIn, rowsOf } from '../evaluation-sets/cases.js';
import type { Layout, RowContext } from '../layout.js';
import { isListOfTexts, isText } from '../parts/named-columns.js';
import { entitiesOf, entriesOf, isSpanEntry } from '../parts/span-entries.js';

/** An answer longer than this is a text that somebody wrote, and no class. */
const MAX_CLASS_CHARACTERS = 60;

const MIN_WRITTEN_WORDS = 4;
/** So many classes may all differ. */
const MAX_DISTINCT = 5;

/** A record in one form, whether its file has it nested or in columns. */
interface ArgillaRecord {
  readonly fields: JsonObject;
  /** By question. Drafts and discarded ones have gone. */
  readonly responses: ReadonlyMap<string, readonly Json[]>;
  readonly suggestions: ReadonlyMap<string, Json>;
  readonly isDiscarded: boolean;
}

/**
 * Records of Argilla: with `fields`, `responses` and `suggestions`, or with a column for each as on the hub (`label.responses`,
 * `label.suggestion`). A submitted response counts before a suggestion.
 * @see https://docs.argilla.io/latest/how_to_guides/import_export/
 */
export const argilla: Layout = {
  name: 'argilla',
  title: 'records of Argilla',
  unit: 'records',
  toolKeys: /^/,
  offsets: 'code points',
  needs: [
    {
      what: '"fields" with a text, or a text beside the columns of questions',
      holds: (row) => Object.values(recordOf(row)?.fields ?? {}).some(isText),
    },
    {
      what: '"responses" or "suggestions", or columns such as "label.responses" and "label.suggestion"',
      holds: (row) => recordOf(row) !== null,
    },
  ],
  columnsIn: (rows) => questionsIn(rows.flatMap((row) => recordOf(row) ?? [])),
  read(row, context) {
    const record = recordOf(row);
    if (record === null) {
      context.refuse('', 'must have "fields" and "responses" or "suggestions", as the rows before it');
      return [];
    }
    if (context.datasetType === 'decoder') return caseOf(record, context);
    const heads = headsOf(record, context);
    if (heads === null) return [];
    return [{ ...heads, ...(isText(row.id) && { id: row.id }) }];
  },
};

/** In a dataset of chats, the first response is the expected answer. */
function caseOf({ fields, responses, isDiscarded }: ArgillaRecord, context: RowContext): readonly JsonObject[] {
  const [first] = responses;
  if (isDiscarded || first === undefined) {
    context.tell(isDiscarded ? 'discarded' : 'without an answer');
    return [];
  }
  if (responses.size > 1) context.tell('with responses to further questions left out');
  const [name, [expected]] = first;
  const { question } = questionIn(fields, context);
  return rowsOf({ question, expected: expected!, field: `responses.${name}`, others: {} }, context);
}

function headsOf(record: ArgillaRecord, context: RowContext): JsonObject | null {
  if (record.isDiscarded) {
    context.tell('discarded');
    return null;
  }
  const [spans, classes] = ['spans', 'class'].map((kind) => questionsOf(kind, context));
  const answers = new Map(
    [...spans!, ...classes!].map((name) => [name, answerTo(name, record, (what) => context.tell(what))]),
  );
  const answered = [...answers].flatMap(([name, answer]) => (answer === null ? [] : [[name, answer] as const]));
  for (const name of questionsOf('other', context))
    if (answerTo(name, record, () => undefined) !== null)
      context.tell(`answers to the question ${quote(name)} left out, which are neither labels nor spans`);
  if (answered.length === 0) {
    context.leaveUnlabelled('without an answer');
    return null;
  }
  const text = textOf(
    record,
    answered.some(([name]) => spans!.includes(name)),
    context,
  );
  if (text === null) return null;
  let heads: JsonObject = { text };
  for (const [name, answer] of answered) {
    if (classes!.includes(name)) {
      heads = { ...heads, ...context.classes(name, classesOf(answer)) };
      continue;
    }
    const entities = entitiesOf(text, entriesOf(answer) ?? [], name, context);
    if (entities === null) return null;
    heads = { ...heads, entities: [...((heads.entities as readonly Json[] | undefined) ?? []), ...entities] };
  }
  return heads;
}

/** What the first who answered said, or else what was suggested. */
function answerTo(question: string, { responses, suggestions }: ArgillaRecord, tell: RowContext['tell']): Json | null {
  const [first, ...others] = responses.get(question) ?? [];
  if (first !== undefined) {
    const differs = others.some((other) => JSON.stringify(other) !== JSON.stringify(first));
    if (differs) tell('with several answers that differ, of which the first counts');
    return first;
  }
  const suggested = suggestions.get(question);
  if (suggested === undefined) return null;
  tell('with a suggestion that nobody has answered');
  return suggested;
}

/** A rating is the name of a class. */
const classesOf = (answer: Json): readonly string[] =>
  (Array.isArray(answer) ? (answer as readonly Json[]) : [answer]).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  );

/** The text, or all texts of a record for a class, a line each. */
function textOf({ fields }: ArgillaRecord, hasSpans: boolean, context: RowContext): string | null {
  const names = Object.keys(fields).filter((name) => isText(fields[name]));
  const name = names.includes('text') ? 'text' : names.length === 1 ? names[0]! : null;
  if (name !== null && (hasSpans || names.length === 1)) return fields[name] as string;
  if (hasSpans || names.length === 0) {
    context.refuse(
      'fields',
      names.length === 0 ? 'has no text' : `has several texts (${names.join(', ')}), and none is "text"`,
    );
    return null;
  }
  context.tell(`with the texts of ${names.map((each) => JSON.stringify(each)).join(' ')}, a line each`);
  return names.map((each) => fields[each] as string).join('\n');
}

/** Questions with what their answers are, as columns of the layout: `spans entities`, `class label`. */
function questionsIn(records: readonly ArgillaRecord[]): readonly string[] {
  const answers = new Map<string, Json[]>();
  for (const { responses, suggestions } of records)
    for (const [name, given] of [...responses, ...[...suggestions].map(([key, each]) => [key, [each]] as const)])
      answers.set(name, [...(answers.get(name) ?? []), ...given]);
  return [...answers].map(([name, given]) => `${kindOf(given)} ${name}`);
}

function kindOf(answers: readonly Json[]): 'spans' | 'class' | 'other' {
  const areSpans = (answer: Json) => entriesOf(answer)?.every(isSpanEntry) === true;
  if (answers.some((answer) => entriesOf(answer)?.length !== 0) && answers.every(areSpans)) return 'spans';
  const isClass = (answer: Json) =>
    typeof answer === 'number' || isListOfTexts(answer) || (isText(answer) && answer.length <= MAX_CLASS_CHARACTERS);
  return answers.every(isClass) && !areWritten(answers) && !areOrders(answers) ? 'class' : 'other';
}

/** Whether answers are texts that somebody wrote: classes come again, and have few words. */
function areWritten(answers: readonly Json[]): boolean {
  const texts = answers.filter((answer) => typeof answer === 'string');
  const distinct = new Set(texts.map((text) => text.trim().toLowerCase())).size;
  const haveWords = (least: number) =>
    2 * texts.filter((text) => text.trim().split(/\s+/).length >= least).length > texts.length;
  const differ = texts.length > 2 && distinct === texts.length;
  return texts.length > 0 && (haveWords(MIN_WRITTEN_WORDS) || (differ && (haveWords(2) || distinct > MAX_DISTINCT)));
}

/** Whether answers are the same values in different orders, as those to a question of ranking are. */
function areOrders(answers: readonly Json[]): boolean {
  const lists = answers.filter((answer) => Array.isArray(answer)) as readonly (readonly Json[])[];
  const sets = new Set(lists.map((list) => JSON.stringify(list.toSorted())));
  const orders = new Set(lists.map((list) => JSON.stringify(list)));
  return lists.length === answers.length && sets.size === 1 && orders.size > 1;
}

const questionsOf = (kind: string, { columns }: RowContext): readonly string[] =>
  columns.filter((column) => column.startsWith(`${kind} `)).map((column) => column.slice(kind.length + 1));

function recordOf(row: JsonObject): ArgillaRecord | null {
  const { fields, responses, suggestions, status } = row;
  const isDiscarded = status === 'discarded';
  if (isObject(fields) && (isHolder(responses) || isHolder(suggestions)))
    return { fields, responses: nestedResponses(responses), suggestions: nestedSuggestions(suggestions), isDiscarded };
  return recordInColumns(row, isDiscarded);
}

const isHolder = (value: Json | undefined): boolean => isObject(value) || Array.isArray(value);

const RESPONSES = '.responses';
const SUGGESTION = '.suggestion';
/** Columns beside the fields of a record. */
const OWN_COLUMNS = ['id', 'status', '_server_id', 'inserted_at', 'updated_at'];

function recordInColumns(row: JsonObject, isDiscarded: boolean): ArgillaRecord | null {
  const named = (ending: string) => Object.keys(row).filter((name) => name.endsWith(ending) && name !== ending);
  const [answered, suggested] = [named(RESPONSES), named(SUGGESTION)];
  if (answered.length + suggested.length === 0) return null;
  const questions = [
    ...answered.map((name) => name.slice(0, -RESPONSES.length)),
    ...suggested.map((name) => name.slice(0, -SUGGESTION.length)),
  ];
  const isField = (name: string) =>
    !OWN_COLUMNS.includes(name) && !questions.some((question) => name.startsWith(`${question}.`));
  return {
    fields: Object.fromEntries(Object.entries(row).filter(([name]) => isField(name))),
    responses: grouped(
      answered.flatMap((name) => {
        const statuses = listOf(row[`${name}.status`]);
        return listOf(row[name]).map((value, at) => [name.slice(0, -RESPONSES.length), value, statuses[at]] as const);
      }),
    ),
    suggestions: new Map(
      suggested.flatMap((name) =>
        isPresent(row[name]) ? [[name.slice(0, -SUGGESTION.length), row[name]] as const] : [],
      ),
    ),
    isDiscarded,
  };
}

/** `{question: [{value, status}]}`, or a list with `values` for each who answered, as the server sends it. */
function nestedResponses(responses: Json | undefined): ArgillaRecord['responses'] {
  if (isObject(responses))
    return grouped(
      Object.entries(responses).flatMap(([name, list]) =>
        listOf(list).flatMap((each) => (isObject(each) ? [[name, each.value, each.status] as const] : [])),
      ),
    );
  return grouped(
    listOf(responses).flatMap((each) => {
      const { values, status } = isObject(each) ? each : ({} as JsonObject);
      return Object.entries(isObject(values) ? values : {}).map(
        ([name, answer]) => [name, isObject(answer) ? answer.value : undefined, status] as const,
      );
    }),
  );
}

/** `{question: {value}}`, or a list of `{question_name, value}`. */
function nestedSuggestions(suggestions: Json | undefined): ArgillaRecord['suggestions'] {
  const entries = isObject(suggestions)
    ? Object.entries(suggestions)
    : listOf(suggestions).map(
        (each) => [isObject(each) && isText(each.question_name) ? each.question_name : '', each] as const,
      );
  return new Map(
    entries.flatMap(([name, each]) =>
      name !== '' && isObject(each) && isPresent(each.value) ? [[name, each.value] as const] : [],
    ),
  );
}

function grouped(
  answers: readonly (readonly [string, Json | undefined, Json | undefined])[],
): ArgillaRecord['responses'] {
  const submitted = answers.filter(([, value, status]) => isPresent(value) && (status ?? 'submitted') === 'submitted');
  return new Map(
    [...Map.groupBy(submitted, ([name]) => name)].map(([name, own]) => [name, own.map(([, value]) => value!)]),
  );
}
