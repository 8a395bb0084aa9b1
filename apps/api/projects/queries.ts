import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { ProjectDocument } from '#projections/projects/projection.js';

const MOST = 10_000;

export class ListProjects extends Query<readonly ProjectDocument[]> {
  constructor(readonly workspaceId: string) {
    super();
  }
}

@QueryHandler(ListProjects)
export class ListProjectsHandler implements IQueryHandler<ListProjects> {
  constructor(private readonly application: Application) {}

  /** Newest first. */
  execute({ workspaceId }: ListProjects): Promise<readonly ProjectDocument[]> {
    return this.application.ports.readStore.find<ProjectDocument>('projects', {
      where: { workspaceId },
      order: { field: 'createdAt', direction: 'descending' },
      limit: MOST,
    });
  }
}
