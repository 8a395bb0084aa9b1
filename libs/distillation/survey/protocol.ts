import type { TaughtChats } from '../chats.js';
import type { FoundPrompt } from '../prompt.js';
import type { RowsOrder, TaughtRows } from '../rows.js';
import type { Survey } from './survey.js';

/** With an order: rows are made, or the task's prompt is found; without one: calls are surveyed. */
export interface SurveyJob {
  readonly order?: RowsOrder;
  readonly wanted?: 'rows' | 'prompt';
}

/** Asks for the vectors of some texts of all that are compared. */
export interface VectorsQuestion {
  readonly texts: readonly string[];
  /** How many there are. */
  readonly all: number;
}

/** The answer to it. */
export interface VectorsAnswer {
  /** 32-bit floats, little-endian, in base64; null for a text that is longer than can be read. */
  readonly vectors: readonly (string | null)[];
  /** Cosine from which texts are near copies. */
  readonly least: number;
}

/** Messages of the process that makes rows, the last with the rows. */
export type RowsMessage = { readonly ask: VectorsQuestion } | { readonly rows: TaughtRows | TaughtChats };

/** The last message of the process that finds a prompt. */
export interface PromptMessage {
  readonly prompt: FoundPrompt;
}

/** The last message of the process that surveys calls. */
export interface SurveyMessage {
  readonly survey: Survey;
}
