import type { GenerateMessage } from '../torch/messages.js';
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

/** The tokens of a request: its chat by the model's own template, or its prompt. @throws BadRequestError */
export function promptTokens(
  { messages, prompt }: Pick<GenerateMessage, 'messages' | 'prompt'>,
  model: LlamaModel,
  { Template }: Runtime['jinja'],
): Token[] {
  if (prompt !== undefined) return withBos(model.tokenize(prompt, true), model);
  const { chat_template: template } = model.fileInfo.metadata.tokenizer;
  const chat = messages as readonly { readonly content: string }[];
  if (!template) {
    const texts = chat.map(({ content }) => content);
    return withBos(model.tokenize([...texts, ''].join(PLAIN_SEPARATOR), true), model);
  }
  const { bosString, eosString } = model.tokens;
  const special = { bos_token: bosString ?? '', eos_token: eosString ?? '' };
  try {
    const text = new Template(template).render({ messages: chat, add_generation_prompt: true, ...special });
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
