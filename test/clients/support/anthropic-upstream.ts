import type Anthropic from '@anthropic-ai/sdk';
import { PROVIDER_KEY } from '#test/support/hosted-settings.js';
import {
  fails,
  says,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  type ScriptedBlock,
} from '#test/support/scripted-anthropic.js';
import { cuts, hangs, type Act, type SeenRequest } from '#test/support/scripted-provider.js';
import type { Published } from './published.js';
import { mishapIn, replyTo, type Asked, type Reply } from './reply.js';

const USAGE = { input_tokens: 6, output_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 };

/** An upstream of Anthropic's style: it answers as `reply.ts` says, and refuses what the real one would refuse. */
export function anthropicUpstream(published: Published): Act {
  const seenOnce = new Set<string>();
  return (response, request) => {
    const wrong = refusal(published, request);
    if (wrong !== null) return failsWith(wrong.status, wrong.message)(response, request);
    const asked = askedOf(request.body);
    return (mishap(asked.prompt, seenOnce) ?? ordinary(replyTo(asked)))(response, request);
  };
}

const ordinary = (reply: Reply): Act =>
  says({ content: blocksOf(reply), usage: USAGE, ...(reply.finish === 'length' && { stopReason: 'max_tokens' }) });

const blocksOf = ({ thinking, text, toolCalls = [] }: Reply): readonly ScriptedBlock[] => [
  ...(thinking === undefined ? [] : [thinkingBlock(thinking, 'signed')]),
  ...(text === undefined ? [] : [textBlock(text)]),
  ...toolCalls.map(({ id, name, input }) =>
    toolUseBlock(id.replace('call', 'toolu'), name, JSON.parse(input) as object),
  ),
];

function mishap(prompt: string, seenOnce: Set<string>): Act | null {
  const wanted = mishapIn(prompt);
  switch (wanted?.kind) {
    case undefined:
      return null;
    case 'hang':
      return hangs;
    case 'cut':
    case 'pause':
      return says({ content: 'First words ', usage: USAGE, breaksOff: wanted.kind === 'cut' ? 'cut' : 'hang' });
    case 'status': {
      if (wanted.once && seenOnce.has(prompt)) return null;
      seenOnce.add(prompt);
      return wanted.status === 0 ? cuts : failsWith(wanted.status, 'the prompt asked for it');
    }
  }
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const failsWith = (status: number, message: string): Act =>
  fails(status, { type: TYPES[status] ?? 'api_error', message });

function refusal(
  published: Published,
  { path, headers, body }: SeenRequest,
): { status: number; message: string } | null {
  if (headers['x-api-key'] !== PROVIDER_KEY) return { status: 401, message: 'invalid x-api-key' };
  if (!headers['anthropic-version']) return { status: 400, message: 'anthropic-version: header is required' };
  const kind = { '/v1/messages': 'Messages', '/v1/messages/count_tokens': 'TokenCount' }[path];
  if (kind === undefined) return { status: 404, message: `no route ${path}` };
  const of2023 = headers['anthropic-version'] === '2023-06-01';
  const problem = published.problem(`${kind}${of2023 ? '2023' : ''}Body`, body) ?? contradiction(body);
  return problem === null ? null : { status: 400, message: problem };
}

/** Rules that the types cannot express. */
export function contradiction({ messages, thinking, max_tokens }: Anthropic.MessageCreateParams): string | null {
  if (messages.length === 0) return 'messages: at least one message is required';
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= max_tokens)
    return 'max_tokens must be greater than thinking.budget_tokens';
  let open: readonly string[] = [];
  for (const { content } of messages) {
    const blocks = typeof content === 'string' ? [] : content;
    const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const stray = answered.find((id) => !open.includes(id));
    if (stray !== undefined) return `no tool_use ${stray} stands in the message before its tool_result`;
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0) return `tool_use ids ${missing.join(', ')} without a tool_result right after`;
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  }
  return open.length > 0 ? `tool_use ids ${open.join(', ')} without a tool_result right after` : null;
}

function askedOf({ messages, tools, tool_choice, output_config, ...body }: Anthropic.MessageCreateParams): Asked {
  const blocks = messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  }));
  const texts = (content: (typeof blocks)[number]['content'] | undefined) =>
    (content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const last = blocks.findLastIndex(({ role, content }) => role === 'user' && texts(content) !== '');
  return {
    prompt: texts(blocks[last]?.content),
    results: blocks
      .slice(last < 0 ? 0 : last)
      .flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_result' ? [resultOf(block)] : []))),
    tools: (tools ?? []).flatMap((tool) =>
      'input_schema' in tool ? [{ name: tool.name, parameters: tool.input_schema }] : [],
    ),
    choice: choiceOf(tool_choice),
    schema: output_config?.format?.schema ?? null,
    maxTokens: body.max_tokens,
    thinks: body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive',
  };
}

function choiceOf(choice: Anthropic.ToolChoice | undefined): Asked['choice'] {
  switch (choice?.type) {
    case 'any':
      return 'required';
    case 'tool':
      return { name: choice.name };
    default:
      return choice?.type ?? 'auto';
  }
}

const resultOf = ({ content }: Anthropic.ToolResultBlockParam): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
