import type { UserEvent } from './events.js';

export type UserState =
  | { readonly status: 'none' }
  | {
      readonly status: 'active';
      readonly userId: string;
      readonly email: string;
      readonly teamId: string;
      readonly workspaceId: string;
      readonly registeredAt: string;
    };

export function evolve(_state: UserState, event: UserEvent): UserState {
  switch (event.type) {
    case 'user-registered.v1':
      return { status: 'active', ...event.data };
  }
}
