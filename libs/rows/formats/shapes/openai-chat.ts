import type { Contents } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { plainValueOf } from '../rows/field-values.js';
import { isObject } from '../rows/kinds.js';
import { textsByLabel } from './gliner2.js';
import { classesOf, rowSpans } from './row-spans.js';
import type { ExportShape } from './shape.js';

/**
 * Rows for fine-tuning by OpenAI's API. Chats are `{"messages"}`, pairs of answers `{"input", "preferred_output",
 * "non_preferred_output"}`; a labelled text is a chat that asks for its labels, and answers with them as JSON.
 * @see https://developers.openai.com/api/docs/guides/supervised-fine-tuning
 */
export const openaiChat: ExportShape = {
  mediaType: 'application/x-ndjson; charset=utf-8',
  ending: 'openai.jsonl',
  heads: ['messages', 'preferences', 'entities', 'classification', 'structures', 'relations'],
  always: null,
  isList: false,
  write(row, contents, leaveOut) {
    const chat = asChat(row, contents);
    if (chat === null) leaveOut('rows without a chat or labels');
    return chat && `${JSON.stringify(chat)}\n`;
  },
};

function asChat(row: JsonObject, contents: Contents): JsonObject | null {
  const { messages, prompt, chosen, rejected, tools, parallel_tool_calls: parallel } = row;
  const ofTools = {
    ...((tools ?? null) !== null && { tools }),
    ...((parallel ?? null) !== null && { parallel_tool_calls: parallel }),
  };
  if (Array.isArray(messages)) return { messages, ...ofTools };
  if (Array.isArray(prompt) && typeof chosen === 'string' && typeof rejected === 'string')
    return {
      input: { messages: prompt, ...ofTools },
      preferred_output: [{ role: 'assistant', content: chosen }],
      non_preferred_output: [{ role: 'assistant', content: rejected }],
    };
  const found = rowSpans(row);
  const answer = found && answerOf(row, found, contents);
  if (found === null || answer === null || Object.keys(answer).length === 0) return null;
  return {
    messages: [
      { role: 'system', content: questionOf(contents) },
      { role: 'user', content: found.text },
      { role: 'assistant', content: JSON.stringify(answer) },
    ],
  };
}

/** The labels of a row, as `/inference` answers. */
function answerOf(
  row: JsonObject,
  { text, spans }: NonNullable<ReturnType<typeof rowSpans>>,
  { multiLabel }: Contents,
) {
  const classes = classesOf(row);
  const listed = (value: Json | undefined) => (Array.isArray(value) ? (value as readonly JsonObject[]) : null);
  return {
    ...(spans && { entities: textsByLabel(text, spans) }),
    ...(classes && { classification: multiLabel ? classes : classes[0]! }),
    ...(isObject(row.labels) && row.labels),
    ...(listed(row.json_structures) && { structures: byName(listed(row.json_structures)!.map(withPlainValues)) }),
    ...(listed(row.relations) && { relation_extraction: byName(listed(row.relations)!) }),
  } satisfies JsonObject;
}

/** A record's choices as answers have them. */
const withPlainValues = (instance: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(instance).map(([name, fields]) => [
      name,
      Object.fromEntries(
        Object.entries(fields as JsonObject).map(([field, value]): [string, Json] => [
          field,
          Array.isArray(value) ? (value as readonly Json[]).map(plainValueOf) : plainValueOf(value!),
        ]),
      ),
    ]),
  );

function byName(list: readonly JsonObject[]): Readonly<Record<string, Json>> {
  const byKey = Map.groupBy(
    list.flatMap((each) => Object.entries(each)),
    ([name]) => name,
  );
  return Object.fromEntries([...byKey].map(([name, own]) => [name, own.map(([, value]) => value ?? null)]));
}

function questionOf({
  heads,
  entityLabels,
  classLabels,
  multiLabel,
  classTasks,
  structures,
  relations,
}: Contents): string {
  const names = (list: readonly string[]) => list.map((name) => JSON.stringify(name)).join(', ');
  const fields = (structures ?? []).map(
    ({ name, fields: own }) => `${name} (${own.map((each) => each.name).join(', ')})`,
  );
  const wanted: readonly (readonly [boolean, string])[] = [
    [heads.includes('entities'), `"entities": the texts of each of ${names(entityLabels)}, copied letter by letter`],
    [
      heads.includes('classification') && !classTasks,
      `"classification": ${multiLabel ? 'any' : 'one'} of ${names(classLabels)}`,
    ],
    ...(classTasks ?? []).map(
      (task) =>
        [true, `${JSON.stringify(task.name)}: ${task.multiLabel ? 'any' : 'one'} of ${names(task.labels)}`] as const,
    ),
    [heads.includes('structures'), `"structures": records of ${fields.join('; ')}`],
    [heads.includes('relations'), `"relation_extraction": head and tail of each of ${names(relations ?? [])}`],
  ];
  const lines = wanted.flatMap(([isWanted, line]) => (isWanted ? [`- ${line}`] : []));
  return ['Answer with a JSON object about the text that the user sends:', ...lines].join('\n');
}
