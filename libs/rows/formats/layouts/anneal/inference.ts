import { needsCorrection } from '#domain/feedback/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { CodePoints } from '#domain/code-points.js';
import { isObject, kind } from '../../rows/kinds.js';
import { quote } from '../../rows/spans.js';
import type { Layout, RowContext, TaskOfFile } from '../layout.js';
import { entriesOf, isSpanEntry } from '../parts/span-entries.js';

const ANSWERS = ['human_corrected_output', 'corrected_output', 'result', 'output'];
const RELATIONS = 'relation_extraction';

/**
 * A text beside an answer of `/inference`, or beside the `corrected_output` of its feedback; also the records of `GET
 * /inferences`. A correction takes precedence over the answer.
 */
export const inference: Layout = {
  name: 'inference',
  title: 'answers of /inference',
  unit: 'answers',
  toolKeys: /^/,
  offsets: 'code points',
  needs: [
    { what: '"text" (or "input" with it)', holds: (row) => textOf(row) !== null },
    {
      what: '"result" or "corrected_output" with entities, classes, structures or relations',
      holds: (row) => answerOf(row) !== null,
    },
  ],
  tasksIn: (rows) => [...new Map(rows.flatMap(tasksNamedIn).map((task) => [task.name, task])).values()],
  read(row, context) {
    const text = textOf(row);
    const answer = answerOf(row);
    if (needsCorrection(row.human_verdict) && !isObject(row.human_corrected_output)) {
      context.tell('judged as incorrect, without a correction');
      return [];
    }
    // Among answers, our own rows.
    if (Array.isArray(row.entities)) return [row];
    if (text === null || answer === null) {
      const { entities = null } = row;
      const shown = typeof entities === 'string' ? `the text ${quote(entities)}` : kind(entities);
      if (text !== null && [...ANSWERS, 'entities'].every((key) => (row[key] ?? null) === null))
        context.leaveUnlabelled('without an answer');
      else if (entities !== null)
        context.refuse('entities', `must be an object with a list of texts for each label, is ${shown}`);
      else context.refuse('', 'must have "text" and "result" or "corrected_output", as the rows before it');
      return [];
    }
    const heads: Record<string, Json> = {};
    for (const [name, value] of Object.entries(answer)) readHead(text, name, value ?? null, heads, context);
    if (listOf(heads.json_structures ?? null).some((record) => Object.values(record as JsonObject).includes(null))) {
      context.tell('with lists of choices of which nothing tells what says them, left out');
      return [];
    }
    const source = row.source_inference_id;
    return [{ text, ...heads, ...(typeof source === 'string' && { source_inference_id: source }) }];
  },
};

/** Tasks of the model that answered, as its record names them: an answer with one of several does not tell. */
const tasksNamedIn = ({ class_tasks: tasks }: JsonObject): readonly TaskOfFile[] =>
  Array.isArray(tasks)
    ? (tasks as readonly Json[]).flatMap((task) =>
        isObject(task) && typeof task.name === 'string' ? [{ name: task.name, isList: task.multi_label === true }] : [],
      )
    : [];

function textOf({ text, input }: JsonObject): string | null {
  const value = text ?? (isObject(input) ? input.text : input);
  return typeof value === 'string' ? value : null;
}

function answerOf(row: JsonObject): JsonObject | null {
  for (const key of ANSWERS) {
    const value = key === 'output' && row.model_id === undefined ? undefined : row[key];
    if (isObject(value) && Object.keys(value).length > 0 && Object.entries(value).every(isHead)) return value;
  }
  // The answer itself, with its text.
  const { text, entities } = row;
  if (typeof text !== 'string' || !isObject(entities) || entriesOf(entities, text) !== null) return null;
  const areHits = Object.values(entities).every(
    (hits = null) => hits === null || Array.isArray(hits) || (typeof hits === 'string' && text.includes(hits)),
  );
  return areHits ? ownHeads(row) : null;
}

function ownHeads(row: JsonObject): JsonObject {
  const heads = Object.entries(row).filter(
    ([name, value]) =>
      name === 'entities' ||
      name === RELATIONS ||
      name === 'classification' ||
      Array.isArray(value) ||
      (isObject(value) && isClass(value)),
  );
  return Object.fromEntries(heads);
}

function isHead([name, value]: readonly [string, Json | undefined]): boolean {
  if (name === 'entities' || name === RELATIONS)
    return (
      isObject(value) && Object.values(value).every((hits) => hits === null || isHit(hits!) || Array.isArray(hits))
    );
  return typeof value === 'string' || Array.isArray(value) || (isObject(value) && typeof value.label === 'string');
}

const isHit = (value: Json): boolean =>
  typeof value === 'string' || (isObject(value) && typeof value.text === 'string');
const textOfHit = (hit: Json): Json => (isObject(hit) ? (hit.text ?? null) : hit);
const listOf = (value: Json): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : value === null ? [] : [value];

function readHead(text: string, name: string, value: Json, heads: Record<string, Json>, context: RowContext): void {
  if (name === 'entities' && isObject(value))
    heads.entities = Object.entries(value).flatMap(([label, hits]) =>
      listOf(hits ?? null).flatMap((hit, at) => {
        const place = placeOf(hit);
        return place === null
          ? [entityOf(hit, label)]
          : context.entities(text, [{ ...place, label, at: `entities.${label}[${at}]` }]);
      }),
    );
  else if (name === RELATIONS && isObject(value))
    heads.relations = Object.entries(value).flatMap(([relation, found]) =>
      listOf(found ?? null).map((each) => ({ [relation]: endsOf(each) })),
    );
  else if (value === null || (listOf(value).length === 0 && !context.isTask(name))) return;
  else if (listOf(value).every(isClass)) Object.assign(heads, classesOf(name, value, context));
  else
    heads.json_structures = [
      ...listOf(heads.json_structures ?? null),
      ...listOf(value).map((record) => ({ [name]: recordOf(text, record) })),
    ];
}

const isClass = (value: Json): boolean =>
  typeof value === 'string' ||
  (isObject(value) &&
    typeof value.label === 'string' &&
    Object.keys(value).every((key) => key === 'label' || key === 'confidence'));

function classesOf(task: string, value: Json, context: RowContext): JsonObject {
  const labels = listOf(value).map((each) => (isObject(each) ? each.label : each) as string);
  return context.classes(task, labels, Array.isArray(value));
}

function entityOf(hit: Json, label: string): Json {
  return isObject(hit) && isSpanEntry(hit) ? { text: hit.text!, label, start: hit.start! } : [textOfHit(hit), label];
}

/** The place of a hit that has no text: `[0, 3]`, or `{"start": 0, "end": 3}`. */
function placeOf(hit: Json): { readonly start: number; readonly end: number } | null {
  const list = Array.isArray(hit) ? (hit as readonly Json[]) : isObject(hit) ? [hit.start, hit.end] : [];
  const [start, end] = list;
  if (list.length !== 2 || (isObject(hit) && hit.text !== undefined)) return null;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null;
}

function endsOf(found: Json): Json {
  const [head, tail] = (
    Array.isArray(found) ? found : isObject(found) ? [found.head, found.tail] : []
  ) as readonly Json[];
  return { head: textOfHit(head ?? null), tail: textOfHit(tail ?? null) };
}

/**
 * Fields with their values. One that is not in the text is a choice, which what stands at its place says.
 * @returns null where an entry of a list is a choice without a place: nothing tells what says it
 */
function recordOf(text: string, record: Json): Json {
  if (!isObject(record)) return record;
  const fields = Object.entries(record).flatMap(([field, value]): [string, Json][] => {
    const values = listOf(value ?? null).map((each) => valueOf(text, each));
    if (values.length === 0) return [];
    return [[field, Array.isArray(value) ? values : values[0]!]];
  });
  const isWhole = fields.every(
    ([, value]) => !Array.isArray(value) || (value as readonly Json[]).every((each) => !isObject(each) || each.text),
  );
  return isWhole ? Object.fromEntries(fields) : null;
}

function valueOf(text: string, hit: Json): Json {
  const value = textOfHit(hit);
  if (typeof value !== 'string' || text.includes(value)) return value;
  const { start, end } = isObject(hit) ? hit : ({} as JsonObject);
  if (typeof start !== 'number' || typeof end !== 'number') return { value };
  const { toUtf16 } = new CodePoints(text);
  const said = text.slice(toUtf16(start), toUtf16(end));
  return said === '' ? { value } : { value, text: said };
}
