export * from './convert.js';
export * from './examples.js';
export * from './limits.js';
export { formatOfName } from './read/rows.js';
export { MAPPABLE_COLUMNS } from './rows/columns.js';
export { mergedErrors, ProblemList } from './rows/problems.js';
export { codePointIndex, resolveSpans, SpanError, type ResolvedSpan } from './rows/spans.js';
export * from './stored.js';
export * from './write.js';
