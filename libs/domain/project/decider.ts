import type { CommandsOf, Decider, Env } from '../decider.js';
import { NotFoundError } from '../errors.js';
import { PROJECT_EVENT_TYPES, type ProjectEvent } from './events.js';
import { evolve, type ProjectState } from './state.js';

type ProjectCommand = CommandsOf<{
  'create-project': { projectId: string; workspaceId: string; name: string; description: string | null };
  'delete-project': { projectId: string; workspaceId: string };
}>;

export const projectDecider: Decider<ProjectCommand, ProjectEvent, ProjectState> = {
  category: 'project',
  eventTypes: PROJECT_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: ProjectCommand, state: ProjectState, env: Env): readonly ProjectEvent[] {
  switch (command.type) {
    case 'create-project': {
      if (state.status !== 'none') return [];
      const { type: _, ...project } = command;
      return [{ type: 'project-created.v1', data: { ...project, createdAt: env.now } }];
    }
    case 'delete-project':
      if (state.status === 'none' || state.project.workspaceId !== command.workspaceId)
        throw new NotFoundError('project', command.projectId);
      if (state.status === 'deleted') return [];
      return [{ type: 'project-deleted.v1', data: { projectId: command.projectId, deletedAt: env.now } }];
  }
}
