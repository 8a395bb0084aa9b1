import type { TeamEvent } from './events.js';

export type TeamState =
  | { readonly status: 'none' }
  | {
      readonly status: 'active';
      readonly teamId: string;
      readonly name: string;
      /** Each member's private workspace, by user id. */
      readonly workspaces: ReadonlyMap<string, string>;
    };

export function evolve(state: TeamState, event: TeamEvent): TeamState {
  switch (event.type) {
    case 'team-created.v1':
      return { status: 'active', teamId: event.data.teamId, name: event.data.name, workspaces: new Map() };
    case 'team-member-added.v1':
      if (state.status === 'none') return state;
      return { ...state, workspaces: new Map(state.workspaces).set(event.data.userId, event.data.workspaceId) };
  }
}
