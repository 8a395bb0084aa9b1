import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { CallerQuery } from '../commands-and-queries.js';
import { makeReports, type ReportOrder } from './make-reports.js';
import type { Report } from './report.js';

/** Makes reports about the caller's workspace from its log. */
export class MakeReports extends CallerQuery<Omit<ReportOrder, 'teamId' | 'workspaceId'>, readonly Report[]> {}

@QueryHandler(MakeReports)
export class MakeReportsHandler implements IQueryHandler<MakeReports, readonly Report[]> {
  constructor(private readonly application: Application) {}

  /** @throws as `makeReports` */
  execute({ caller: { teamId, workspaceId }, input }: MakeReports): Promise<readonly Report[]> {
    return makeReports(this.application, { ...input, teamId, workspaceId });
  }
}
