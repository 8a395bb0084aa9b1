import { given } from '#test/support/given.js';
import { apiKeyDecider } from './index.js';

const key = {
  keyId: 'k1',
  keyHash: 'abc',
  userId: 'u1',
  teamId: 't1',
  workspaceId: 'w1',
  name: 'ci',
  lastDigits: 'wxyz',
  expiresAt: null,
};
const create = { type: 'create-api-key', ...key } as const;
const created = { type: 'api-key-created.v1', data: { ...key, createdAt: given.now } } as const;
const revoke = { type: 'revoke-api-key', keyId: 'k1', userId: 'u1' } as const;
const revoked = { type: 'api-key-revoked.v1', data: { keyId: 'k1', revokedAt: given.now } } as const;

describe('API key', () => {
  it('is created once', () => {
    given(apiKeyDecider, []).when(create).then([created]);
    given(apiKeyDecider, [created]).when(create).then([]);
  });

  it('is refused for a secret that already has a key, even a revoked one', () => {
    given(apiKeyDecider, [created, revoked])
      .when({ ...create, keyId: 'k2' })
      .thenRefused('conflict');
  });

  it('cannot be created expired', () => {
    given(apiKeyDecider, [])
      .when({ ...create, expiresAt: given.now })
      .thenRefused('invalid');
  });

  it('is revoked once', () => {
    given(apiKeyDecider, [created]).when(revoke).then([revoked]);
    given(apiKeyDecider, [created, revoked]).when(revoke).then([]);
  });

  it('of another member is not found', () => {
    given(apiKeyDecider, [created])
      .when({ ...revoke, userId: 'u2' })
      .thenRefused('not_found');
  });
});
