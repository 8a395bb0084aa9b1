import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { ProjectDocument } from '#projections/projects/projection.js';
import type { ListProjectsQuery } from './dto.js';

/** Newest first. */
export class ListProjects extends Query<{ readonly listed: readonly ProjectDocument[]; readonly total: number }> {
  constructor(
    readonly caller: Caller,
    readonly query: ListProjectsQuery,
  ) {
    super();
  }
}

@QueryHandler(ListProjects)
export class ListProjectsHandler implements IQueryHandler<ListProjects> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { workspaceId }, query: { limit, offset } }: ListProjects) {
    const { readStore } = this.application.ports;
    const [listed, total] = await Promise.all([
      readStore.find<ProjectDocument>('projects', {
        where: { workspaceId },
        order: { field: 'createdAt', direction: 'descending' },
        limit,
        offset,
      }),
      readStore.count('projects', { where: { workspaceId } }),
    ]);
    return { listed, total };
  }
}

/** @throws NotFoundError */
export class GetProject extends Query<ProjectDocument> {
  constructor(
    readonly caller: Caller,
    readonly projectId: string,
  ) {
    super();
  }
}

@QueryHandler(GetProject)
export class GetProjectHandler implements IQueryHandler<GetProject> {
  constructor(private readonly application: Application) {}

  async execute({ caller, projectId }: GetProject): Promise<ProjectDocument> {
    const project = await this.application.ports.readStore.get<ProjectDocument>('projects', projectId);
    if (project?.workspaceId !== caller.workspaceId) throw new NotFoundError('project', projectId);
    return project;
  }
}
