export * from './merges.js';
export type { FeedbackRow, Source } from './protocol.js';
