import type OpenAI from 'openai';
import { answers, completes, embeds, type ScriptedOptions } from '#test/support/scripted-answers.js';
import { begins, cuts, hangs, refuses, type Act, type SeenRequest } from '#test/support/scripted-provider.js';
import { PROVIDER_KEY } from '#test/support/hosted-settings.js';
import type { Published } from './published.js';
import { mishapIn, replyTo, type Asked } from './reply.js';

const USAGE: ScriptedOptions = {
  usage: { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
};

/** An upstream of OpenAI's style: it answers as `reply.ts` says, and refuses what the real one would refuse. */
export function openAiUpstream(published: Published): Act {
  const seenOnce = new Set<string>();
  return (response, request) => {
    const wrong = refusal(published, request);
    if (wrong !== null) return refuses(wrong.status, { error: wrong.error })(response, request);
    const kind = kindOf(request);
    if (kind === 'embeddings') return embeds()(response, request);
    const prompt = kind === 'completions' ? String(request.body.prompt) : askedOf(request.body).prompt;
    return (mishap(prompt, seenOnce) ?? ordinary(kind, request.body))(response, request);
  };
}

const ordinary = (kind: string, body: SeenRequest['body']): Act =>
  kind === 'completions' ? completes(' and so on', USAGE) : answers(replyTo(askedOf(body)), USAGE);

const kindOf = ({ path }: SeenRequest) => path.replace(/^\/v1\//, '');

function mishap(prompt: string, seenOnce: Set<string>): Act | null {
  const wanted = mishapIn(prompt);
  switch (wanted?.kind) {
    case undefined:
      return null;
    case 'hang':
      return hangs;
    case 'cut':
    case 'pause':
      return begins('First words ', wanted.kind === 'cut' ? 'cut' : 'hang');
    case 'status': {
      if (wanted.once && seenOnce.has(prompt)) return null;
      seenOnce.add(prompt);
      const { status } = wanted;
      if (status === 0) return cuts;
      return refuses(status, {
        error: errorOf('the prompt asked for it', status === 429 ? 'rate_limit_error' : 'error'),
      });
    }
  }
}

const BODIES: Readonly<Record<string, string>> = {
  'chat/completions': 'ChatBody',
  completions: 'TextBody',
  embeddings: 'EmbeddingsBody',
};

function refusal(published: Published, request: SeenRequest): { status: number; error: object } | null {
  if (request.headers.authorization !== `Bearer ${PROVIDER_KEY}`)
    return { status: 401, error: errorOf('Incorrect API key provided', 'invalid_request_error') };
  const type = BODIES[kindOf(request)];
  if (type === undefined) return { status: 404, error: errorOf(`no route ${request.path}`, 'invalid_request_error') };
  const problem =
    published.problem(type, typed(request.body)) ?? (type === 'ChatBody' ? unanswered(request.body) : null);
  return problem === null ? null : { status: 400, error: errorOf(problem, 'invalid_request_error') };
}

/** The real one takes a name in the results of tools, and servers of open models take earlier thoughts: OpenAI's types have neither. */
export function typed(body: SeenRequest['body']): unknown {
  if (!Array.isArray(body.messages)) return body;
  const messages = body.messages.map((message: { role?: unknown; name?: unknown; reasoning_content?: unknown }) => {
    const { reasoning_content: _, ...known } = message;
    const { name: __, ...rest } = known;
    return message.role === 'tool' ? rest : known;
  });
  return { ...body, messages };
}

const errorOf = (message: string, type: string) => ({ message, type, param: null, code: null });

/** Every tool call must be answered by the messages that follow it, and nothing else be. */
export function unanswered({ messages }: OpenAI.ChatCompletionCreateParams): string | null {
  let open: readonly string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) return `no tool call ${message.tool_call_id} precedes its answer`;
      open = open.filter((id) => id !== message.tool_call_id);
    } else if (open.length > 0) return `tool calls ${open.join(', ')} were not answered`;
    if (message.role === 'assistant') open = message.tool_calls?.map(({ id }) => id) ?? [];
  }
  return open.length > 0 ? `tool calls ${open.join(', ')} were not answered` : null;
}

function askedOf(body: OpenAI.ChatCompletionCreateParams): Asked {
  const last = body.messages.findLastIndex(({ role }) => role === 'user');
  const { tool_choice: choice, response_format: format } = body;
  return {
    prompt: textOf(body.messages[last]?.content),
    results: body.messages.slice(last + 1).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
    tools: (body.tools ?? []).flatMap((tool) =>
      tool.type === 'function' ? [{ name: tool.function.name, parameters: tool.function.parameters }] : [],
    ),
    choice: typeof choice === 'object' && choice.type === 'function' ? choice.function : asWord(choice),
    schema:
      format?.type === 'json_schema' ? (format.json_schema.schema ?? true) : format?.type === 'json_object' || null,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    thinks: body.reasoning_effort !== undefined && body.reasoning_effort !== null,
  };
}

const asWord = (choice: unknown): 'auto' | 'none' | 'required' =>
  choice === 'none' || choice === 'required' ? choice : 'auto';

const textOf = (content: OpenAI.ChatCompletionMessageParam['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
