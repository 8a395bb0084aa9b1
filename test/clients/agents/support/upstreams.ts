import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { contradiction } from '#test/clients/support/anthropic-upstream.js';
import { typed, unanswered } from '#test/clients/support/openai-upstream.js';
import type { Published } from '#test/clients/support/published.js';
import { answers, type ScriptedChoice } from '#test/support/scripted-answers.js';
import { fails, says, textBlock, thinkingBlock, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { refuses, type Act } from '#test/support/scripted-provider.js';
import type { ToolCall } from './agent.js';

/** The plan of a scripted model: its calls of tools, one a turn, and then its answer. */
export interface Plan {
  readonly calls: readonly ToolCall[];
  readonly thinks: boolean;
}

/** A provider of style `openai` that follows a plan, and refuses what a real one would. */
export const openAiModel =
  (published: Published, plan: () => Plan): Act =>
  (response, request) => {
    const body = request.body as OpenAI.ChatCompletionCreateParams;
    const problem = published.problem('ChatBody', typed(body)) ?? unanswered(body) ?? unthought(body, plan());
    if (problem !== null)
      return refuses(400, { error: { message: problem, type: 'invalid_request_error' } })(response, request);
    const results = body.messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
    return answers(turn(plan(), (body.tools ?? []).length > 0, results))(response, request);
  };

/** A provider of style `anthropic` that follows a plan, and refuses what the real one would. */
export const anthropicModel =
  (published: Published, plan: () => Plan): Act =>
  (response, request) => {
    const body = request.body as Anthropic.MessageCreateParams;
    const type = request.headers['anthropic-beta'] === undefined ? 'Messages2023Body' : 'MessagesBeta2023Body';
    const problem = published.problem(type, body) ?? contradiction(body) ?? forged(body);
    if (problem !== null) return fails(400, { type: 'invalid_request_error', message: problem })(response, request);
    const blocks = body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block.content)] : []));
    const { thinking, text = '', toolCalls = [] } = turn(plan(), (body.tools ?? []).length > 0, results);
    const content = [
      ...(thinking === undefined ? [] : [thinkingBlock(thinking, signatureOf(thinking))]),
      textBlock(text),
      ...toolCalls.map(({ id, name, input }) =>
        toolUseBlock(id.replace('call', 'toolu'), name, JSON.parse(input) as object),
      ),
    ];
    return says({ content })(response, request);
  };

/** A call, until all calls of the plan have their results; then an answer that repeats those. */
function turn({ calls, thinks }: Plan, hasTools: boolean, results: readonly string[]): ScriptedChoice {
  const thinking = thinks ? { thinking: `Thought ${results.length}.` } : {};
  const call = hasTools ? calls[results.length] : undefined;
  if (call === undefined) return { ...thinking, text: ['All is well.', ...results].join(' ') };
  // Agents ask for the same more than once, each time in another conversation.
  const id = `call_${(called += 1)}`;
  return { ...thinking, text: 'Let me see.', toolCalls: [{ id, name: call.name, input: JSON.stringify(call.input) }] };
}
let called = 0;

/** Some servers of open models refuse a turn that called tools without its thoughts (https://api-docs.deepseek.com/guides/thinking_mode). */
function unthought({ messages }: OpenAI.ChatCompletionCreateParams, { thinks }: Plan): string | null {
  const silent = messages.some(
    (message) => message.role === 'assistant' && message.tool_calls !== undefined && !('reasoning_content' in message),
  );
  return thinks && silent ? 'reasoning_content of a turn that calls tools is missing' : null;
}

const signatureOf = (thinking: string): string => Buffer.from(`signed: ${thinking}`).toString('base64');

function forged({ messages }: Anthropic.MessageCreateParams): string | null {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const isForged = blocks.some((block) => block.type === 'thinking' && block.signature !== signatureOf(block.thinking));
  return isForged ? 'Invalid `signature` in `thinking` block' : null;
}
