export * from './report.js';
export { VersionReports, type ReportedVersion } from './version-reports.js';
