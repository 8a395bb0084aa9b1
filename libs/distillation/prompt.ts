import { isRecord, type Json, type JsonObject } from '#domain/json.js';
import { normalised } from '#rows/report/normalised.js';
import { canonicalRequest, type RecordedCall } from './calls/canonical.js';
import { cut, valuesOf } from './tasks/matcher.js';
import { newestWords } from './tasks/versions.js';
import { findTasks } from './tasks/find-tasks.js';
import type { Template } from './tasks/template.js';
import { Refused, taskOf, type RowsOrder } from './rows.js';

/** The request of a task's newest call in a form that batches take, in whose words other texts can be asked about. */
export interface TaskPrompt {
  readonly template: Template;
  readonly request: JsonObject;
  /** Texts of the task's calls, as `normalised`. */
  readonly known: readonly string[];
}

export type FoundPrompt =
  ({ readonly kind: 'prompt' } & TaskPrompt) | { readonly kind: 'refused'; readonly reason: string };

/** The prompt of the task that is to be learned of recorded calls. */
export function promptOf(calls: readonly RecordedCall[], order: RowsOrder): FoundPrompt {
  try {
    const { template, members } = newestWords(taskOf(findTasks(calls).tasks, order));
    const ids = new Set(members.map(({ id }) => id));
    const usable = calls.filter(({ id, format = 'openai' }) => ids.has(id) && format === 'openai');
    if (usable.length === 0)
      throw new Refused('no call of the task has the form of an API of OpenAI, which batches take: make one in it');
    const { request } = usable.reduce((newest, each) => (each.at >= newest.at ? each : newest));
    return { kind: 'prompt', template, request, known: members.map(({ text }) => normalised(text)) };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

/** Where requests of all dialects have what they say. */
const SAID = ['instructions', 'system', 'messages', 'input', 'prompt'];

/** The request with another text in the place of its own. @returns null if it would not be read back as that text */
export function withText(
  { template, request }: Pick<TaskPrompt, 'template' | 'request'>,
  text: string,
): JsonObject | null {
  const before = canonicalRequest(request)!;
  const at = template.parts.findIndex(({ holes }) => holes.some(({ kind }) => kind === 'text'));
  const [{ chunks, holes }, { text: said }] = [template.parts[at]!, before.parts[at]!];
  const values = valuesOf({ chunks, holes }, said)!.map((value, hole) => {
    const about = holes[hole]!;
    if (about.kind !== 'text') return value;
    return about.json ? JSON.stringify(text).slice(1, -1) : text;
  });
  const written = chunks.map((chunk, place) => chunk + (values[place] ?? '')).join('');
  const replaced = Object.entries(request).map(([key, value]) => [
    key,
    SAID.includes(key) ? replacedIn(value!, said, written) : value,
  ]);
  const asked = Object.fromEntries(replaced) as JsonObject;
  const [own, found] = [cut(template, before), cut(template, canonicalRequest(asked)!)];
  const isSame = found?.text === text && JSON.stringify(found.parameters) === JSON.stringify(own?.parameters);
  return isSame ? asked : null;
}

function replacedIn(value: Json, from: string, to: string): Json {
  if (value === from) return to;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => replacedIn(each, from, to));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replacedIn(each!, from, to)]));
}
