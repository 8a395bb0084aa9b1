import type { JsonObject } from '#domain/json.js';
import { notCarried, type ContentPart, type Message } from '../port.js';
import { blockOf, textBlock } from './blocks.js';

/** All system messages, in order: this style has one place for them, before the conversation. */
export function systemBlocks(messages: readonly Message[]): string | JsonObject[] {
  return shortened(
    messages.flatMap((message) =>
      spoken(message).map((part) => {
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
export function conversation(messages: readonly Message[]): JsonObject[] {
  const turns: { readonly role: 'user' | 'assistant'; readonly blocks: JsonObject[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    let turn = turns.at(-1);
    if (turn?.role !== role) turns.push((turn = { role, blocks: [] }));
    turn.blocks.push(...spoken(message).map(blockOf));
  }
  return turns.map(({ role, blocks }) => ({ role, content: shortened(resultsFirst(blocks)) }));
}

/** The parts of a message, without empty texts beside others, which the API refuses. */
function spoken({ role, content, name }: Message): readonly ContentPart[] {
  // A tool's name is in the call that its result answers.
  if (name !== undefined && role !== 'tool') throw notCarried('the name of a message');
  if (content.length < 2) return content;
  const said = content.filter((part) => part.type !== 'text' || part.text !== '' || part.cacheControl !== undefined);
  return said.length > 0 ? said : content.slice(0, 1);
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
