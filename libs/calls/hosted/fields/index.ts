import type { DialectFields } from './field.js';
import { ANTHROPIC_MESSAGES } from './anthropic-messages.js';
import { OPENAI_CHAT } from './openai-chat.js';
import { OPENAI_COMPLETIONS } from './openai-completions.js';
import { OPENAI_EMBEDDINGS } from './openai-embeddings.js';
import { OPENAI_RESPONSES } from './openai-responses.js';

/** The treatment of each field of each dialect: the source of docs/reference/request-fields.md, of the hints and of their tests. */
export const DIALECTS: readonly DialectFields[] = [
  OPENAI_CHAT,
  OPENAI_RESPONSES,
  OPENAI_COMPLETIONS,
  OPENAI_EMBEDDINGS,
  ANTHROPIC_MESSAGES,
];
