import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { NotFoundError } from '#domain/errors.js';
import { projectDecider } from '#domain/project/index.js';
import type { ProjectDocument } from '#projections/projects/projection.js';
import { projectDocuments } from '#projections/projects/queries.js';
import { CallerCommand, type Act } from '../commands-and-queries.js';

const VISIBLE_IN = [projectDocuments.collection];

/** A project to make; its name need not be unique. */
interface ProjectOrder {
  readonly name: string;
  readonly description?: string | null;
}

export class CreateProject extends CallerCommand<ProjectOrder, ProjectDocument> {}

@CommandHandler(CreateProject)
export class CreateProjectHandler implements ICommandHandler<CreateProject> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input }: CreateProject): Promise<ProjectDocument> {
    const context = callerContext(caller, identity);
    const { workspaceId } = caller;
    const projectId = derivedId(context.commandId, 'project');
    const { name, description = null } = input;
    const command = { type: 'create-project', projectId, workspaceId, name, description } as const;
    // A repeated command finds its own event: no other command can create this stream.
    const { state } = await this.application.execute(projectDecider, projectId, command, context, VISIBLE_IN);
    if (state.status === 'none') throw new Error('a created project has no state');
    const { createdAt } = state.project;
    return { id: projectId, workspaceId, name: state.project.name, description: state.project.description, createdAt };
  }
}

export class DeleteProject extends CallerCommand<string, void> {
  static override actOf(id: string): Act {
    return { kind: 'delete', command: 'delete-project', about: `delete project ${id}` };
  }
}

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input: projectId }: DeleteProject): Promise<void> {
    const command = { type: 'delete-project', projectId, workspaceId: caller.workspaceId } as const;
    const context = callerContext(caller, identity);
    const { position } = await this.application.execute(projectDecider, projectId, command, context, VISIBLE_IN);
    // The project was already deleted.
    if (position === null) throw new NotFoundError('project', projectId);
  }
}
