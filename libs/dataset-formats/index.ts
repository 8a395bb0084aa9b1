export * from './convert.js';
export * from './examples.js';
export * from './limits.js';
export { formatOfName } from './read/open.js';
export { MAPPABLE_COLUMNS } from './rows/columns.js';
export { codePointIndex, resolveSpans, SpanError, type ResolvedSpan } from './rows/spans.js';
export * from './stored.js';
export { ThreadMemoryError } from './threads/row-threads.js';
export * from './write.js';
