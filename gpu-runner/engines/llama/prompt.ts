import { createHash } from 'node:crypto';
import { toolFamily } from '#models/imported/index.js';
import { isRecord } from '#primitives/values.js';
import type { GenerateMessage } from '../torch/messages.js';
import { parsed } from './raw-object.js';
import type { LlamaModel, Runtime, Token } from './runtime.js';

/** Between messages for a base without a chat template, as they were learned (`anneal_runner/chat.py`). */
const PLAIN_SEPARATOR = '\n\n';

/** A request cannot be generated for. The message is for the user. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
  constructor(
    /** The field of the message. */
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** The tokens of a request: its chat, with the tools that it may call, by the model's own template, or its prompt. @throws BadRequestError */
export function promptTokens(
  { messages, prompt, tools }: Pick<GenerateMessage, 'messages' | 'prompt' | 'tools'>,
  model: LlamaModel,
  { Template }: Runtime['jinja'],
): Token[] {
  if (prompt !== undefined) return withBos(model.tokenize(prompt, true), model);
  const { chat_template: template } = model.fileInfo.metadata.tokenizer;
  const chat = messages as readonly Message[];
  if (!template) {
    const texts = chat.map(({ content }) => content);
    return withBos(model.tokenize([...texts, ''].join(PLAIN_SEPARATOR), true), model);
  }
  const { bosString, eosString } = model.tokens;
  const special = { bos_token: bosString ?? '', eos_token: eosString ?? '' };
  try {
    const shown = chat.map((message) => asTemplatesTake(message, toolFamily(template) === 'mistral'));
    // As in Python, where templates ask whether they are none.
    const given = { messages: shown, tools: tools.length > 0 ? tools : null, add_generation_prompt: true };
    const text = new Template(template).render({ ...given, ...special });
    return model.tokenize(text, true);
  } catch (error) {
    throw new BadRequestError(
      'messages',
      `The model's chat template refused \`messages\` (${(error as Error).message})`,
    );
  }
}

function withBos(tokens: Token[], { tokens: { bos, shouldPrependBosToken } }: LlamaModel): Token[] {
  return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens;
}

interface Message {
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

/**
 * A message whose calls have their arguments as an object. Text that is no JSON object stays as it is.
 * @param hasShortIds ids have nine letters and digits, the only ones that templates of Mistral take
 */
function asTemplatesTake(
  { tool_calls: calls, tool_call_id: answered, ...message }: Message,
  hasShortIds: boolean,
): object {
  const idOf = (id: string) => (hasShortIds ? createHash('sha256').update(id).digest('hex').slice(0, 9) : id);
  const withObject = ({ id, ...call }: NonNullable<Message['tool_calls']>[number]) => {
    const input = parsed(call.function.arguments || '{}');
    return { ...call, id: idOf(id), function: { ...call.function, ...(isRecord(input) && { arguments: input }) } };
  };
  return {
    ...message,
    ...(calls && { tool_calls: calls.map(withObject) }),
    ...(answered !== undefined && { tool_call_id: idOf(answered) }),
  };
}
