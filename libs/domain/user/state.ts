import type { UserEvent, UserRegistered } from './events.js';

export type UserState =
  | { readonly status: 'none' }
  | ({
      readonly status: 'active';
      /** How often the password was set or reset. */
      readonly passwordGeneration: number;
    } & Readonly<UserRegistered>);

export function evolve(state: UserState, event: UserEvent): UserState {
  switch (event.type) {
    case 'user-registered.v1':
      return { status: 'active', passwordGeneration: 0, ...event.data };
    case 'user-password-set.v1':
    case 'user-password-reset.v1':
      return state.status === 'active' ? { ...state, passwordGeneration: event.data.generation } : state;
  }
}
