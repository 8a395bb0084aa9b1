import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { QueueFullError } from '#domain/errors.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { CallerQuery } from '../commands-and-queries.js';
import { makeReports, type ReportOrder } from './make-reports.js';
import type { Report } from './report.js';

type Asked = Omit<ReportOrder, 'teamId' | 'workspaceId'> & {
  /** Aborts when the client leaves. */
  readonly gone?: AbortSignal;
};

/** Makes reports about the caller's workspace from its log. */
export class MakeReports extends CallerQuery<Asked, readonly Report[]> {}

/** Reports that a process makes at a time: each reads a large part of the log. */
const AT_ONCE = 2;
const RETRY_AFTER_SECONDS = 5;

@QueryHandler(MakeReports)
export class MakeReportsHandler implements IQueryHandler<MakeReports, readonly Report[]> {
  private readonly slots = new FairSlots(AT_ONCE);

  constructor(private readonly application: Application) {}

  /** @throws as `makeReports`; QueueFullError while another one of the workspace is made */
  execute({ caller: { teamId, workspaceId }, input: { gone, ...order } }: MakeReports): Promise<readonly Report[]> {
    const length = this.slots.lengthOf(workspaceId);
    if (length > 0)
      throw new QueueFullError(
        'a report of this workspace is being made; ask again once it is done',
        'reports',
        { length, limit: 1 },
        RETRY_AFTER_SECONDS,
      );
    return this.slots.run(workspaceId, () => makeReports(this.application, { ...order, teamId, workspaceId }, gone));
  }
}
