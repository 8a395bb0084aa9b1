import type { Contents, Head } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { conll } from './conll.js';
import { gliner2 } from './gliner2.js';
import { labelStudio } from './label-studio.js';
import { openaiChat } from './openai-chat.js';
import type { ExportShape } from './shape.js';
import { spacy } from './spacy.js';

/** The shapes of other tools, by their names in a request. */
export const EXPORT_SHAPES = {
  conll,
  spacy,
  'label-studio': labelStudio,
  gliner2,
  'openai-chat': openaiChat,
} as const satisfies Readonly<Record<string, ExportShape>>;

export const EXPORT_SHAPE_NAMES = Object.keys(EXPORT_SHAPES) as readonly (keyof typeof EXPORT_SHAPES)[];

const FLUSH_CHARACTERS = 64 * 1024;

/** Columns beside the messages of a row. */
const TOOL_COLUMNS = ['tools', 'parallel_tool_calls'];
const COLUMNS: Readonly<Record<Head, readonly string[]>> = {
  entities: ['text', 'entities'],
  classification: ['text', 'label', 'labels'],
  structures: ['text', 'json_structures'],
  relations: ['text', 'relations'],
  messages: ['messages', ...TOOL_COLUMNS],
  preferences: ['prompt', 'chosen', 'rejected', ...TOOL_COLUMNS],
};
const MAX_NAMED_COLUMNS = 10;

/** The parts of a version that a shape leaves out, for people: `classification, 3 entities that overlap longer ones`. */
export async function leftOutOf(
  rows: AsyncIterable<JsonObject>,
  shape: ExportShape,
  contents: Contents,
): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  const leaveOut = (what: string, count = 1) => counts.set(what, (counts.get(what) ?? 0) + count);
  for await (const row of rows) shape.write(row, contents, leaveOut);
  const held = new Set(shape.heads.flatMap((head) => COLUMNS[head]));
  const ofHeads = new Set(Object.values(COLUMNS).flat());
  const columns = contents.columns ?? [];
  const others = columns.filter((column) => !held.has(column) && !ofHeads.has(column));
  const shown = others.slice(0, MAX_NAMED_COLUMNS).map((column) => JSON.stringify(column.slice(0, 60)));
  return [
    ...contents.heads.filter((head) => !shape.heads.includes(head)),
    ...(others.length > 0 ? [`columns ${shown.join(' ')}${others.length > shown.length ? ' and more' : ''}`] : []),
    ...(contents.columns === null ? ['all other columns'] : []),
    ...(shape.always === null ? [] : [shape.always]),
    ...[...counts].map(([what, count]) => `${count} ${what}`),
  ];
}

/** The rows of a version in the shape of another tool. */
export async function* writeShape(
  rows: AsyncIterable<JsonObject>,
  shape: ExportShape,
  contents: Contents,
): AsyncGenerator<Buffer> {
  let text = shape.isList ? '[' : '';
  let isFirst = true;
  for await (const row of rows) {
    const written = shape.write(row, contents, () => undefined);
    if (written === null) continue;
    text += shape.isList ? `${isFirst ? '' : ','}\n${written}` : written;
    isFirst = false;
    if (text.length < FLUSH_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(shape.isList ? `${text}\n]\n` : text);
}
