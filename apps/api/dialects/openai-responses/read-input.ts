import { FOREIGN_ITEM } from '#calls/hosted/fields/openai-responses.js';
import { textMessage, type ContentPart, type Message } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { customArguments } from '../shared/custom-tools.js';
import { givenName } from './called-tools.js';
import { summaryIn, summaryMessage } from './compaction-item.js';
import type {
  ResponsesCompaction,
  ResponsesCustomCall,
  ResponsesFunctionCall,
  ResponsesFunctionCallOutput,
  ResponsesItem,
  ResponsesItemReference,
  ResponsesMessage,
  ResponsesReasoning,
  ResponsesThought,
} from './dto-input.js';
import { foreignItem } from './foreign-item.js';
import { contentOf, markerOf } from './read-content.js';
import type { InputEntry } from './request.js';

type Path = readonly (string | number)[];

/** `input`: a text, or items. Those that offer tools say nothing (`readTools`). */
export function inputOf(
  reader: DialectReader,
  input: string | readonly ResponsesItem[] | null | undefined,
): readonly InputEntry[] {
  if (typeof input === 'string') return [textMessage('user', input)];
  const foreign = new Set<unknown>();
  return (
    input?.flatMap((item, index) => {
      if (isForeign(item)) foreign.add((item as { readonly call_id?: unknown }).call_id);
      // Codex answers a call of its local shell like one of a function.
      const answersForeign = item.type === 'function_call_output' && foreign.has(item.call_id);
      return (answersForeign ? foreignItem(item) : entryOf(reader, item, index)) ?? [];
    }) ?? []
  );
}

const isForeign = ({ type }: ResponsesItem): boolean => typeof type === 'string' && IS_FOREIGN.test(type);
const IS_FOREIGN = new RegExp(FOREIGN_ITEM);

/** The answer names the item as dropped: the model gets its text alone. */
function toldOf(reader: DialectReader, item: { readonly type: string }, index: number): Message | null {
  reader.carry(item, ['input', index, item.type]);
  return foreignItem(item);
}

function entryOf(reader: DialectReader, item: ResponsesItem, index: number): InputEntry | null {
  const path: Path = ['input', index];
  switch (item.type) {
    case 'additional_tools':
      return null;
    case 'compaction':
      return compactionOf(reader, item, path);
    case 'function_call':
    case 'custom_tool_call':
      return callOf(reader, item, path);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return outputOf(reader, item, path);
    case 'reasoning':
      return reasoningOf(reader, item, path);
    case 'message':
      return messageOf(reader, item, path);
    case 'item_reference':
      return { reference: item.id, index };
    case undefined:
    case null:
      // The short form of a message has no type; a reference needs none either.
      return 'role' in item && isPresent(item.role)
        ? messageOf(reader, item, path)
        : { reference: (item as ResponsesItemReference).id, index };
    default:
      return toldOf(reader, item, index);
  }
}

/** Fields of every item that this API wrote itself or that mean nothing to a model. */
const known = (...fields: string[]): ReadonlySet<string> => new Set(['type', 'id', 'status', 'created_by', ...fields]);

const MESSAGE = known('role', 'content');

function messageOf(reader: DialectReader, item: ResponsesMessage, path: Path): Message {
  reader.carryOthers(item, MESSAGE, path);
  const { role } = item;
  if (role !== 'assistant' && !isPresent(item.content))
    reader.refuse([...path, 'content'], 'is required and must be a string or a list of parts', 'missing');
  const content = contentOf(reader, item.content ?? [], path, 'content');
  return { role: role === 'developer' ? 'system' : role, content };
}

const CALL = known('call_id', 'name', 'namespace', 'arguments', 'parsed_arguments', 'input', 'cache_control');

function callOf(reader: DialectReader, item: ResponsesFunctionCall | ResponsesCustomCall, path: Path): Message {
  carryAsked(reader, item, CALL, path);
  const call = {
    type: 'tool-call',
    id: item.call_id,
    name: givenName(item.name, item.namespace),
    input: item.type === 'function_call' ? item.arguments : customArguments(item.input),
    ...markerOf(item),
  } as const;
  return { role: 'assistant', content: [call] };
}

const CALL_OUTPUT = known('call_id', 'name', 'namespace', 'output', 'cache_control');

function outputOf(reader: DialectReader, item: ResponsesFunctionCallOutput, path: Path): Message {
  carryAsked(reader, item, CALL_OUTPUT, path);
  const content = contentOf(reader, item.output, path, 'output');
  return { role: 'tool', content: [{ type: 'tool-result', id: item.call_id, content, ...markerOf(item) }] };
}

/** An empty list of allowed callers counts as absent. */
function carryAsked(reader: DialectReader, item: object, fields: ReadonlySet<string>, path: Path): void {
  const { caller, async: isAsync, ...rest } = item as Readonly<Record<string, unknown>>;
  if (!isRecord(caller) || caller['type'] !== 'direct') reader.carry(caller, [...path, 'caller']);
  if (isAsync !== false) reader.carry(isAsync, [...path, 'async']);
  reader.carryOthers(rest, fields, path);
}

const COMPACTION = known('encrypted_content');

function compactionOf(reader: DialectReader, item: ResponsesCompaction, path: Path): Message {
  reader.carryOthers(item, COMPACTION, path);
  const summary = summaryIn(item.encrypted_content);
  if (summary === null)
    reader.refuse([...path, 'encrypted_content'], 'must come from a compaction that this server made', 'not_allowed');
  return summaryMessage(summary ?? '');
}

const REASONING = known('summary', 'content', 'encrypted_content');
/** Marks the opaque data of redacted thinking; without it, `encrypted_content` is a signature of visible thinking. */
export const REDACTED = 'redacted:';
/** Thoughts that OpenAI encrypted (a Fernet token), in a conversation that began there: no other provider can read them. */
const OF_OPENAI = 'gAAAA';

/** Thoughts of an earlier answer. They are shown as a summary, and with their signature, if they have one. */
function reasoningOf(reader: DialectReader, item: ResponsesReasoning, path: Path): Message {
  reader.carryOthers(item, REASONING, path);
  const { summary, content, encrypted_content: proof } = item;
  if (proof?.startsWith(REDACTED))
    return thoughts({ type: 'thinking', text: '', signature: proof.slice(REDACTED.length), redacted: true });
  const text = [...textsOf(summary), ...textsOf(content)].join('\n\n');
  const isOwn = isPresent(proof) && !proof.startsWith(OF_OPENAI);
  return thoughts({ type: 'thinking', text, ...(isOwn && { signature: proof }) });
}

const thoughts = (part: ContentPart): Message => ({ role: 'assistant', content: [part] });

const textsOf = (parts: readonly ResponsesThought[] | null | undefined): readonly string[] =>
  parts?.map(({ text }) => text) ?? [];

/** Joins consecutive items of the assistant into one message: a call belongs to the text and thinking before it. */
export function joined(messages: readonly Message[]): readonly Message[] {
  const joint: (Message & { readonly content: ContentPart[] })[] = [];
  for (const message of messages) {
    const last = joint.at(-1);
    if (last?.role === 'assistant' && message.role === 'assistant') last.content.push(...message.content);
    else joint.push({ ...message, content: [...message.content] });
  }
  return joint;
}
