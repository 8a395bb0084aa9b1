export type { FoundRows, RowFilter } from './row-search.js';
export * from './report.js';
export { VersionReports } from './version-reports.js';
export { MAX_LISTED_CHANGES, type ChangeKind, type VersionDiff } from './version-diff.js';
