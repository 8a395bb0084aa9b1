import type { Json, JsonObject } from '#domain/json.js';
import { withDistinctCalls } from '../call-ids.js';
import type { Dropped } from '../dropped.js';
import { notCarried, type ContentPart, type Message } from '../port.js';
import { blockOf, isBlank, textBlock } from './blocks.js';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: JsonObject[];
}

/** All system messages, in order: this style has one place for them, before the conversation. */
export function systemBlocks(messages: readonly Message[], dropped: Dropped): string | JsonObject[] {
  return shortened(
    messages.flatMap((message) =>
      spoken(message, dropped).map((part) => {
        if (part.type !== 'text') throw notCarried(`${part.type} parts of a system message`);
        return textBlock(part);
      }),
    ),
  );
}

/**
 * User and assistant by turns: messages of one side that follow each other are one turn, and the results of tools are the
 * user's.
 */
export function conversation(messages: readonly Message[], dropped: Dropped): JsonObject[] {
  const turns: Turn[] = [];
  for (const message of withDistinctCalls(messages)) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = spoken(message, dropped).map((part) => blockOf(part, dropped));
    if (blocks.length === 0) continue;
    let turn = turns.at(-1);
    if (turn?.role !== role) turns.push((turn = { role, blocks: [] }));
    turn.blocks.push(...blocks);
  }
  if (turns.length === 0 || (messages.at(-1)!.role !== 'assistant' && turns.at(-1)!.role === 'assistant'))
    turns.push({ role: 'user', blocks: [{ type: 'text', text: EMPTY }] });
  const results = resultsByCall(turns);
  return turns.map(({ role, blocks }, index) => {
    if (role === 'user')
      return { role, content: shortened(answering(turns[index - 1]?.blocks ?? [], blocks, results)) };
    return { role, content: shortened(index === turns.length - 1 ? endTrimmed(blocks) : blocks) };
  });
}

/** What a user says who said nothing: a conversation ends with the turn before the answer. */
const EMPTY = '(empty)';

/** The last text of a turn that the model goes on with: this style refuses white space there. */
function endTrimmed(blocks: JsonObject[]): JsonObject[] {
  const last = blocks.at(-1)!;
  const { text } = last;
  return typeof text === 'string' ? [...blocks.slice(0, -1), { ...last, text: text.trimEnd() }] : blocks;
}

/** The parts of a message except unsigned thoughts and blank texts: the API refuses both. */
function spoken({ role, content: given, name }: Message, dropped: Dropped): readonly ContentPart[] {
  // A tool's name is in the call that its result answers.
  if (name !== undefined && role !== 'tool') dropped.drop('messages.name');
  const content = given.filter((part) => part.type !== 'thinking' || (part.signature ?? '') !== '');
  if (content.length < given.length) dropped.drop('reasoning_content');
  return content.filter((part) => !isBlank(part));
}

/** What a call of a tool gave that nobody answered, as where a user went on instead: this style wants a result of each. */
const NO_RESULT = '(no result)';

/** The results of each call, wherever they come after it: those that answer the same call are one. */
function resultsByCall(turns: readonly Turn[]): ReadonlyMap<Json, JsonObject | null> {
  const blocks = turns.flatMap((turn) => turn.blocks);
  const results = new Map<Json, JsonObject | null>(callsIn(blocks).map((id) => [id, null]));
  for (const block of blocks) {
    const { type, tool_use_id: id = null } = block;
    if (type === 'tool_result' && results.has(id)) results.set(id, together(results.get(id) ?? null, block));
  }
  return results;
}

/** A turn of the user: first one result of each call of the turn before, since this style wants them there, then what the user says. */
function answering(
  before: readonly JsonObject[],
  blocks: readonly JsonObject[],
  results: ReadonlyMap<Json, JsonObject | null>,
): JsonObject[] {
  const first = callsIn(before).map(
    (id) => results.get(id) ?? { type: 'tool_result', tool_use_id: id, content: NO_RESULT, is_error: true },
  );
  const others = blocks.filter(({ type, tool_use_id: id = null }) => type !== 'tool_result' || !results.has(id));
  const all = [...first, ...others];
  return all.length > 0 ? all : [{ type: 'text', text: EMPTY }];
}

const callsIn = (blocks: readonly JsonObject[]): readonly Json[] =>
  blocks.flatMap(({ type, id = null }) => (type === 'tool_use' ? [id] : []));

const together = (one: JsonObject | null, other: JsonObject): JsonObject =>
  one ? { ...one, ...other, content: [...partsOf(one), ...partsOf(other)] } : other;

function partsOf({ content = [] }: JsonObject): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Json[]);
}

/** A lone plain text block as a string. */
function shortened(blocks: JsonObject[]): string | JsonObject[] {
  const [first] = blocks;
  const isPlain = blocks.length === 1 && first!['type'] === 'text' && first!['cache_control'] === undefined;
  return isPlain ? (first!['text'] as string) : blocks;
}
