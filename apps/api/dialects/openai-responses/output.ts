import { ownUrlCitations, urlCitations, type ProducedChoice, type ProducedPart } from '#calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason } from '#calls/hosted/port.js';
import { isRecord } from '#primitives/values.js';
import { customInput } from '../shared/custom-tools.js';
import type { CalledTool, CalledTools } from './called-tools.js';
import { REDACTED } from './read-input.js';

/** Items of an answer (https://platform.openai.com/docs/api-reference/responses/object#responses/object-output). */

/** The result of a response. */
export interface Ended {
  readonly status: 'completed' | 'incomplete';
  readonly incomplete_details: { readonly reason: string } | null;
}

export const COMPLETED: Ended = { status: 'completed', incomplete_details: null };
const incomplete = (reason: string): Ended => ({ status: 'incomplete', incomplete_details: { reason } });

/** @param hasRefusal whether the model refused */
export function endedBy(finish: FinishReason | null, hasRefusal: boolean): Ended {
  switch (finish) {
    case 'length':
      return incomplete('max_output_tokens');
    case 'content_filter':
      return incomplete('content_filter');
    case 'refusal':
      return hasRefusal ? COMPLETED : incomplete('content_filter');
    case 'pause':
    case null:
      return { status: 'incomplete', incomplete_details: null };
    default:
      return COMPLETED;
  }
}

export const endOf = ({ finish, parts }: ProducedChoice): Ended =>
  endedBy(
    finish,
    parts.some(({ type }) => type === 'refusal'),
  );

/** Output items of the model's one answer, in order, without ids, which `identified` adds. */
export function outputItems(choice: ProducedChoice, called: CalledTools): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] | null = null;
  for (const part of choice.parts) {
    const said = contentOf(part);
    if (said && content) content.push(said);
    else if (said) items.push(message((content = [said]), 'completed'));
    else {
      content = null;
      const item = itemOf(part, called);
      if (item) items.push(item);
    }
  }
  const last = items.at(-1);
  if (last && endOf(choice).status === 'incomplete') items[items.length - 1] = { ...last, status: 'incomplete' };
  return items;
}

function contentOf(part: ProducedPart): JsonObject | null {
  if (part.type === 'text') return outputText(part.text, part.logprobs, part.additions);
  return part.type === 'refusal' ? refusal(part.text) : null;
}

function itemOf(part: ProducedPart, called: CalledTools): JsonObject | null {
  if (part.type === 'thinking') return reasoning(part, 'completed');
  return part.type === 'tool-call' ? toolCall(part, called.get(part.name), 'completed') : null;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export const message = (content: readonly JsonObject[], status: ItemStatus): JsonObject => ({
  ...{ type: 'message', status, role: 'assistant' },
  content: content,
});

export const outputText = (
  text: string,
  logprobs: readonly Json[],
  additions?: ProducedPart['additions'],
): JsonObject => ({
  ...{ type: 'output_text', text, annotations: annotations(text, additions) },
  logprobs: logprobs.flatMap(logprob),
});

export const annotations = (text: string, additions?: ProducedPart['additions']): JsonObject[] =>
  [...urlCitations(text, additions), ...ownUrlCitations(additions).map(located)].map((citation) => ({
    ...{ type: 'url_citation', ...citation },
  }));

/** Some providers leave out the title, or where the text is. */
const located = (citation: JsonObject): JsonObject => ({
  ...{ title: citation['url']!, start_index: 0, end_index: 0, ...citation },
});

export const refusal = (text: string): JsonObject => ({ type: 'refusal', refusal: text });

/** Thinking as a summary, which clients show, with the signature for sending it back. */
export const reasoning = (
  { text, signature, redacted }: { text: string; signature: string | null; redacted: boolean },
  status: ItemStatus,
): JsonObject => ({
  ...{ type: 'reasoning', status },
  summary: text === '' ? [] : [summaryText(text)],
  ...(signature !== null && { encrypted_content: redacted ? REDACTED + signature : signature }),
});

export const summaryText = (text: string): JsonObject => ({ type: 'summary_text', text });

/** A function call without arguments gets an empty object: clients parse this. */
export const argumentsOf = (input: string): string => (input === '' ? '{}' : input);

/** @param called the tool in the caller's form, if that differs */
export const toolCall = (
  { id, name, input }: { id: string; name: string; input: string },
  called: CalledTool | undefined,
  status: ItemStatus,
): JsonObject => ({
  ...{ type: called?.isCustom ? 'custom_tool_call' : 'function_call', status, call_id: id },
  name: called?.name ?? name,
  ...(called?.namespace !== undefined && { namespace: called.namespace }),
  ...(called?.isCustom
    ? { input: status === 'in_progress' ? '' : customInput(input) }
    : { arguments: status === 'in_progress' ? '' : argumentsOf(input) }),
});

/** A token in the form of chat completions, except that bytes are always a list. */
export function logprob(value: Json): JsonObject[] {
  if (!isRecord(value)) return [];
  const one = (given: JsonObject): JsonObject => ({
    token: given['token'] ?? '',
    logprob: given['logprob'] ?? 0,
    bytes: given['bytes'] ?? [],
  });
  const { top_logprobs: top } = value;
  const others = Array.isArray(top) ? (top as Json[]).filter(isRecord) : [];
  return [{ ...one(value), top_logprobs: others.map((other) => one(other as JsonObject)) }];
}

const PREFIXES: Readonly<Record<string, string>> = {
  ...{ message: 'msg', reasoning: 'rs', function_call: 'fc', custom_tool_call: 'ctc' },
};

/** An id that locates the item: `msg_<inference id>_<index in the output>`. */
export const itemId = (type: string, inferenceId: string, index: number): string =>
  `${PREFIXES[type]}_${inferenceId}_${index}`;

export const identified = (items: readonly JsonObject[], inferenceId: string): JsonObject[] =>
  items.map((item, index) => ({ id: itemId(item['type'] as string, inferenceId, index), ...item }));

const ITEM_ID = /^(?:msg|rs|fc|ctc)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_(\d{1,6})$/;

/** The call and index that an item id names; null for a foreign id. */
export function placeOf(id: string): { readonly inferenceId: string; readonly index: number } | null {
  const [, inferenceId, index] = ITEM_ID.exec(id) ?? [];
  return inferenceId === undefined ? null : { inferenceId, index: Number(index) };
}
