import type { ProjectEvent } from './events.js';

export type ProjectState =
  { readonly status: 'none' } | { readonly status: 'active' | 'deleted'; readonly project: Project };

type Project = Extract<ProjectEvent, { type: 'project-created.v1' }>['data'];

export function evolve(state: ProjectState, event: ProjectEvent): ProjectState {
  switch (event.type) {
    case 'project-created.v1':
      return { status: 'active', project: event.data };
    case 'project-deleted.v1':
      return state.status === 'none' ? state : { ...state, status: 'deleted' };
  }
}
