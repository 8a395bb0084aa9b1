import type { ProjectEvent } from './events.js';

export type ProjectState =
  | { readonly status: 'none' }
  | { readonly status: 'active'; readonly projectId: string; readonly workspaceId: string }
  | { readonly status: 'deleted'; readonly projectId: string; readonly workspaceId: string };

export function evolve(state: ProjectState, event: ProjectEvent): ProjectState {
  switch (event.type) {
    case 'project-created.v1':
      return { status: 'active', projectId: event.data.projectId, workspaceId: event.data.workspaceId };
    case 'project-deleted.v1':
      return state.status === 'none' ? state : { ...state, status: 'deleted' };
  }
}
