import {
  contentSummary,
  MAX_SUMMARY_BYTES,
  type CallContent,
  type CallContentBody,
  type CallContentObject,
} from '#domain/inference/index.js';
import type { Position } from '#ports/event-store/port.js';

/** The event at this position of the log. */
export type InEvent = {
  readonly position: string;
};

export type InObject = Pick<CallContentObject, 'objectKey' | 'sha256' | 'size' | 'cipherKey'>;

/** What a document shows of a call's content, and the place of the rest; null if it shows all. */
export function shown(content: CallContent['data']['content'], position: Position) {
  if (isObject(content)) {
    const { summary: known, ...whole } = content;
    return { content: known, whole };
  }
  const known = isSmall(content) ? { ...content, truncated: [] } : contentSummary(content);
  return { content: known, whole: known.truncated.length > 0 ? { position } : null };
}

/** True for most calls, at a fifth of the cost of a summary. UTF-8 needs at most three bytes per UTF-16 unit. */
const isSmall = (content: CallContentBody): boolean =>
  content.errorMessage === null && JSON.stringify(content).length * 3 <= MAX_SUMMARY_BYTES;

export const isObject = (content: CallContent['data']['content']): content is CallContentObject =>
  typeof content['objectKey'] === 'string';
