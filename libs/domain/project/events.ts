import type { EventsOf, EventTypes } from '../decider.js';

export type ProjectEvent = EventsOf<{
  'project-created.v1': {
    projectId: string;
    workspaceId: string;
    name: string;
    description: string | null;
    createdAt: string;
  };
  'project-deleted.v1': { projectId: string; deletedAt: string };
}>;

export const PROJECT_EVENT_TYPES: EventTypes<ProjectEvent> = {
  'project-created.v1': true,
  'project-deleted.v1': true,
};
