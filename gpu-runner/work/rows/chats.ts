import type { JsonObject } from '#domain/json.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import { answerText, chatOf, messagesOf, promptOf, toolsOf } from '#evaluations/chats.js';
import type { ChatExample, PreferenceExample } from '#gpu-runner/engines/decoder-engine.js';
import { jsonLines } from './examples.js';
import { readRows } from '../folders.js';
import type { AttemptObjects } from '../patient-objects.js';

/**
 * The chats of pinned dataset versions, one after another. They were validated: each ends with an answer of the
 * assistant.
 * @throws DamagedObjectError when a version's object is missing or is not the pinned one
 */
export async function readChats(store: AttemptObjects, datasets: readonly DatasetPin[]): Promise<ChatExample[]> {
  const chats: ChatExample[] = [];
  for (const dataset of datasets)
    await readRows(store, dataset, async (content) => {
      for await (const row of jsonLines(content)) chats.push(chatOf(row));
    });
  return chats;
}

/** @throws DamagedObjectError as `readChats` */
export async function readPreferences(
  store: AttemptObjects,
  datasets: readonly DatasetPin[],
): Promise<PreferenceExample[]> {
  const pairs: PreferenceExample[] = [];
  for (const dataset of datasets)
    await readRows(store, dataset, async (content) => {
      for await (const row of jsonLines(content)) pairs.push(pairOf(row));
    });
  return pairs;
}

const pairOf = ({ prompt, tools, chosen, rejected }: JsonObject): PreferenceExample => ({
  prompt: messagesOf(prompt),
  ...((tools ?? null) !== null && { tools: toolsOf(tools) }),
  chosen: chosen as string,
  rejected: rejected as string,
});

/** A prompt as one text, for comparing rows. */
export const promptTextOf = (row: ChatExample): string => textOfPrompt(promptOf(row));

export const textOfPrompt = (prompt: ChatExample['messages']): string =>
  prompt.map(({ role, content, toolCalls = [] }) => `${role}: ${answerText(content, toolCalls)}`).join('\n');
