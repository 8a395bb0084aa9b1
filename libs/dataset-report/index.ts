export * from './report.js';
export { VersionReports } from './version-reports.js';
