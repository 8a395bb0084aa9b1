import type { ApiKeyCreated, ApiKeyEvent } from './events.js';

export type ApiKeyState =
  | { readonly status: 'none' }
  | { readonly status: 'active'; readonly key: ApiKeyCreated }
  | { readonly status: 'revoked'; readonly key: ApiKeyCreated; readonly revokedAt: string };

export function evolve(state: ApiKeyState, event: ApiKeyEvent): ApiKeyState {
  switch (event.type) {
    case 'api-key-created.v1':
      return { status: 'active', key: event.data };
    case 'api-key-limits-changed.v1':
      return state.status === 'none' ? state : { ...state, key: { ...state.key, limits: event.data.limits } };
    case 'api-key-revoked.v1':
      return state.status === 'active' ? { ...state, status: 'revoked', revokedAt: event.data.revokedAt } : state;
  }
}
