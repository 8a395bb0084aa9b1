import { textMessage, type Message } from '#calls/hosted/port.js';

/** Marks the content of an item that was made here; the summary follows in base64. */
const MADE_HERE = 'anneal-summary:';

/** The content of a compaction item. */
export const contentOf = (summary: string): string => MADE_HERE + Buffer.from(summary).toString('base64');

/** The summary in a compaction item; null for the content of another system. */
export const summaryIn = (content: string): string | null =>
  content.startsWith(MADE_HERE) ? Buffer.from(content.slice(MADE_HERE.length), 'base64').toString('utf8') : null;

/** The message in place of the turns that were summed up. */
export const summaryMessage = (summary: string): Message =>
  textMessage('user', `The conversation so far, in summary:\n\n${summary}`);
