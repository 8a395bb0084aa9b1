import type { JsonObject } from '#domain/json.js';
import { withDistinctCalls } from '../call-ids.js';
import type { Dropped } from '../dropped.js';
import { notCarried, type ContentPart, type Message } from '../port.js';
import { blockOf, isBlank, textBlock } from './blocks.js';

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
 * user's. They come first in it, since they answer the turn before.
 */
export function conversation(messages: readonly Message[], dropped: Dropped): JsonObject[] {
  const turns: { readonly role: 'user' | 'assistant'; readonly blocks: JsonObject[] }[] = [];
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
  return turns.map(({ role, blocks }, index) => ({
    role,
    content: shortened(index === turns.length - 1 && role === 'assistant' ? endTrimmed(blocks) : resultsFirst(blocks)),
  }));
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

function resultsFirst(blocks: JsonObject[]): JsonObject[] {
  const isResult = ({ type }: JsonObject) => type === 'tool_result';
  const results = blocks.filter(isResult);
  return results.length === 0 ? blocks : [...results, ...blocks.filter((block) => !isResult(block))];
}

/** A lone plain text block as a string. */
function shortened(blocks: JsonObject[]): string | JsonObject[] {
  const [first] = blocks;
  const isPlain = blocks.length === 1 && first!['type'] === 'text' && first!['cache_control'] === undefined;
  return isPlain ? (first!['text'] as string) : blocks;
}
