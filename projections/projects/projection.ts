import type { ProjectEvent } from '#domain/project/index.js';
import type { Projection } from '#projector/projection.js';

export interface ProjectDocument {
  readonly [key: string]: string | null;
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
}

export const projects: Projection<ProjectDocument> = {
  name: 'projects',
  version: 1,
  handles: ['project-created.v1', 'project-deleted.v1'],
  indexes: [{ fields: ['workspaceId', 'createdAt'] }],
  key: (event) => (event as unknown as ProjectEvent).data.projectId,
  apply(_document, recorded) {
    const event = recorded as unknown as ProjectEvent;
    switch (event.type) {
      case 'project-created.v1': {
        const { projectId, ...project } = event.data;
        return { id: projectId, ...project };
      }
      case 'project-deleted.v1':
        return null;
    }
  },
};
