import type { EventTypes } from '../decider.js';

export type ProjectEvent =
  | {
      readonly type: 'project-created.v1';
      readonly data: {
        readonly projectId: string;
        readonly workspaceId: string;
        readonly name: string;
        readonly description: string | null;
        readonly createdAt: string;
      };
    }
  | { readonly type: 'project-deleted.v1'; readonly data: { readonly projectId: string; readonly deletedAt: string } };

export const PROJECT_EVENT_TYPES: EventTypes<ProjectEvent> = {
  'project-created.v1': true,
  'project-deleted.v1': true,
};
