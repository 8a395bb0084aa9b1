import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import { projects, type ProjectDocument } from '#projections/projects/projection.js';
import { pageOfProjects, projectDocuments } from '#projections/projects/queries.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../commands-and-queries.js';

/** Newest first. */
export class ListProjects extends CallerQuery<PageRequest, Page<ProjectDocument>> {}

@QueryHandler(ListProjects)
export class ListProjectsHandler implements IQueryHandler<ListProjects> {
  constructor(private readonly application: Application) {}

  execute({ caller: { workspaceId }, input: { limit, offset } }: ListProjects): Promise<Page<ProjectDocument>> {
    return pageOfProjects(this.application.ports.readStore, workspaceId, { limit, offset });
  }
}

/** @throws NotFoundError */
export class GetProject extends ResourceQuery<string, ProjectDocument> {}

@QueryHandler(GetProject)
export class GetProjectHandler implements IQueryHandler<GetProject> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: projectId, asOf }: GetProject): Promise<ProjectDocument> {
    if (asOf) {
      const stream = streamName('project', projectId);
      return documentAsOf(this.application, caller, asOf, {
        ...{ what: 'project', projection: projects, stream, id: projectId },
      });
    }
    const project = await projectDocuments.get(this.application.ports.readStore, projectId);
    if (project?.workspaceId !== caller.workspaceId) throw new NotFoundError('project', projectId);
    return project;
  }
}
