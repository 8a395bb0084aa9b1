import type { Application } from '#application/application.js';
import type { Json, JsonObject } from '#domain/json.js';
import { makeReports } from '#use-cases/reports/make-reports.js';
import { markdownOf } from '#use-cases/reports/markdown.js';
import { REPORT_KINDS } from '#use-cases/reports/report.js';
import { OperationError, type Operations } from './operation.js';
import { refusable, workspaceOf } from './teams.js';
import { timeOf } from './time.js';

export const AUDIT_REPORT = 'audit.report';

/** `audit.report`: reports about one workspace, made from the log. */
export const reportOperations = (application: Application): Operations => ({
  /** `{workspace?, kind?, model?, since?, until?, position?}`: yields `{name, markdown, report}` for each */
  async *[AUDIT_REPORT]({ workspace, kind = 'all', model = null, since, until, position = null }, signal) {
    const { teamId, workspaceId } = await workspaceOf(application, workspace, undefined);
    const known = REPORT_KINDS.find((each) => each === kind) ?? null;
    if (known === null && kind !== 'all')
      throw new OperationError(`--kind must be one of ${REPORT_KINDS.join(', ')}, all`);
    const order = {
      ...{ teamId, workspaceId, kind: known, model: textOf(model), asOf: textOf(position) },
      ...{ since: timeOf('--since', since), until: timeOf('--until', until) },
    };
    for (const report of await refusable(() => makeReports(application, order, signal)))
      yield { name: report.name, markdown: markdownOf(report), report: report as unknown as JsonObject };
  },
});

const textOf = (value: Json): string | null => (typeof value === 'string' ? value : null);
