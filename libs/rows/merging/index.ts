export * from './merges.js';
export type { FeedbackRow, MergedSource } from './protocol.js';
