import type { ProjectEvent } from '#domain/project/index.js';
import type { Projection } from '#log/projector/projection.js';

export type ProjectDocument = {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
};

export const projects: Projection<ProjectDocument, ProjectEvent> = {
  name: 'projects',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'createdAt'] }],
  key: ({ data }) => data.projectId,
  on: {
    'project-created.v1': (_, { data: { projectId, ...project } }) => ({ id: projectId, ...project }),
    'project-deleted.v1': () => null,
  },
};
