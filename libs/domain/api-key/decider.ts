import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors.js';
import { API_KEY_EVENT_TYPES, type ApiKeyCreated, type ApiKeyEvent } from './events.js';
import { areSame, changedLimits, hasLimits, type KeyLimitChanges } from './limits.js';
import { evolve, type ApiKeyState } from './state.js';

type ApiKeyCommand = CommandsOf<{
  'create-api-key': Omit<ApiKeyCreated, 'createdAt' | 'limits'> & { limits?: KeyLimitChanges };
  'limit-api-key': { keyId: string; userId: string; changes: KeyLimitChanges };
  'revoke-api-key': { keyId: string; userId: string };
}>;

export const apiKeyDecider: Decider<ApiKeyCommand, ApiKeyEvent, ApiKeyState> = {
  category: 'key',
  eventTypes: API_KEY_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: ApiKeyCommand, state: ApiKeyState, env: Env): readonly ApiKeyEvent[] {
  switch (command.type) {
    case 'create-api-key': {
      const { type: _, limits: asked = {}, ...key } = command;
      if (state.status !== 'none') {
        if (state.key.keyId === key.keyId) return [];
        throw new ConflictError('this key is registered already; a revoked key cannot be used again');
      }
      if (key.expiresAt !== null && key.expiresAt <= env.now)
        throw new InvalidError({
          path: ['expiresAt'],
          message: 'must be in the future, or absent for a key that does not expire',
          type: 'out_of_range',
        });
      const limits = changedLimits({}, asked, null);
      const data = { ...key, ...(hasLimits(limits) && { limits }), createdAt: env.now };
      return [{ type: 'api-key-created.v1', data }];
    }
    case 'limit-api-key': {
      const { keyId, userId, changes } = command;
      if (state.status === 'none' || state.key.userId !== userId) throw new NotFoundError('API key', keyId);
      if (state.status === 'revoked') throw new ConflictError('this key is revoked, so it has no limits to change');
      const { limits: before = {} } = state.key;
      const limits = changedLimits(before, changes, env.now);
      if (areSame(before, limits)) return [];
      return [{ type: 'api-key-limits-changed.v1', data: { keyId, before, limits, changedAt: env.now } }];
    }
    case 'revoke-api-key':
      if (state.status === 'none' || state.key.userId !== command.userId)
        throw new NotFoundError('API key', command.keyId);
      if (state.status === 'revoked') return [];
      return [{ type: 'api-key-revoked.v1', data: { keyId: state.key.keyId, revokedAt: env.now } }];
  }
}
