import type { UserErased, UserEvent, UserRegistered } from './events.js';

export type UserState =
  | { readonly status: 'none' }
  | ({
      readonly status: 'active';
      /** Number of times that the password was set or reset. */
      readonly passwordGeneration: number;
      /** null: the address was not erased, or was registered again since. */
      readonly erasure: UserErased | null;
    } & Readonly<UserRegistered>);

export function evolve(state: UserState, event: UserEvent): UserState {
  if (event.type === 'user-registered.v1') {
    const passwordGeneration = state.status === 'active' ? state.passwordGeneration : 0;
    return { ...event.data, status: 'active', passwordGeneration, erasure: null };
  }
  if (state.status === 'none') return state;
  if (event.type === 'user-erased.v1') return { ...state, email: null, erasure: event.data };
  return { ...state, passwordGeneration: event.data.generation };
}
