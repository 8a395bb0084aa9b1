import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { incidentDecider, type Incident } from '#domain/incident/index.js';
import { CallerQuery } from '../commands-and-queries.js';

/** @param input `open` or `closed`; null: all */
export class ListIncidents extends CallerQuery<'open' | 'closed' | null, readonly Incident[]> {}

/** Lists the incidents of the workspace, newest first. */
@QueryHandler(ListIncidents)
export class ListIncidentsHandler implements IQueryHandler<ListIncidents> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: status }: ListIncidents): Promise<readonly Incident[]> {
    const incidents = [...(await this.application.load(incidentDecider, caller.workspaceId)).values()].toReversed();
    return incidents.filter(({ closed }) => status === null || (closed !== null) === (status === 'closed'));
  }
}
