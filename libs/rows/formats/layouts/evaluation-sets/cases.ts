import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { RowContext } from '../layout.js';

/** A case of an evaluation set: what is asked, and what should be answered. */
export interface Case {
  /** A text, messages, or fields of a template. */
  readonly question: Json | undefined;
  readonly expected: Json | undefined;
  /** The path of the expected answer in the row, for messages. */
  readonly field: string;
  /** Further fields, which are kept under `origin`. */
  readonly others: JsonObject;
}

const ANSWERS =
  /^(?:expected|reference|ideal|correct|gold(?:en)?|ground_truth|target|true)(?:_(?:output|answer|response|label|class|category|intent|value|text|result|completion|translation|summary|sql|json))?$/;
const BARE_ANSWERS = /^(?:answer|label|output|response|completion|class|category|intent)$/;
/** Fields that say something about a case, and are no part of its question. */
const ABOUT = /^(?:(?:.*_)?id|metadata|tags?|split|source|name|description|created_at|updated_at|notes?)$/;
/** A longer expected answer is no label. */
const MAX_LABEL = 100;

/** Names as the patterns have them: `expectedOutput` is `expected_output`. */
const plain = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[ -]/g, '_');

/** The field that is the expected answer by its name; undefined: none. */
export function answerField(fields: JsonObject): string | undefined {
  const names = Object.keys(fields).filter((name) => isSaid(fields[name]));
  return names.find((name) => ANSWERS.test(plain(name))) ?? names.find((name) => BARE_ANSWERS.test(plain(name)));
}

export const isAbout = (name: string): boolean => ABOUT.test(plain(name));

/** What a set of fields asks: the messages among them, the only field, or all fields as lines of a text. */
export function questionIn(fields: JsonObject, context: RowContext): Pick<Case, 'question' | 'others'> {
  const entries = Object.entries(fields).filter(([, value]) => isSaid(value));
  const messages = entries.find(([, value]) => isMessages(value));
  const asked = messages ? [messages] : entries.filter(([name]) => !isAbout(name));
  const others = Object.fromEntries(entries.filter((entry) => !asked.includes(entry)));
  if (asked.length <= 1) return { question: asked[0]?.[1], others };
  context.tell('with several fields as lines of the question');
  return { question: asked.map(([name, value]) => `${name}: ${textOf(value ?? null)}`).join('\n'), others };
}

/**
 * A case as a native row: a chat that ends with the expected answer, or, in a dataset of labels, a text with its class. A case without
 * an expected answer has nothing that an evaluation compares.
 */
export function rowsOf({ question, expected, field, others }: Case, context: RowContext): readonly JsonObject[] {
  if (!isSaid(expected)) {
    context.tell('without an expected answer left out');
    return [];
  }
  if (!isSaid(question)) {
    context.refuse('', 'has no question');
    return [];
  }
  const origin = Object.keys(others).length > 0 ? { origin: others } : {};
  if (context.datasetType === 'decoder') {
    const asked = isMessages(question) ? question : [{ role: 'user', content: textOf(question!) }];
    return [{ messages: [...asked, { role: 'assistant', content: textOf(expected!) }], ...origin }];
  }
  if (typeof expected !== 'string' || expected.length > MAX_LABEL || expected.includes('\n')) {
    context.refuse(field, 'is no label; if it is an answer, upload the file with dataset_type "decoder"');
    return [];
  }
  const text = isMessages(question) ? lastUser(question) : question;
  if (typeof text === 'string') return [{ text, ...context.classes(field, [expected]), ...origin }];
  context.refuse('', 'has a question that is no text');
  return [];
}

export const isSaid = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== '';

export const isMessages = (value: Json | undefined): value is readonly JsonObject[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  (value as readonly Json[]).every((each) => isObject(each) && typeof each.role === 'string' && 'content' in each);

export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The object or list that a cell of a table has as JSON. */
export function fromCell(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

const lastUser = (messages: readonly JsonObject[]): Json | undefined =>
  messages.findLast(({ role }) => role === 'user')?.content;
