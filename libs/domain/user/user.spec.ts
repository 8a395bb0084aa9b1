import { given } from '#test/support/given.js';
import { userDecider } from './index.js';

const register = {
  type: 'register-user',
  userId: 'u1',
  email: 'ada@example.com',
  teamId: 't1',
  workspaceId: 'w1',
} as const;
const registered = {
  type: 'user-registered.v1',
  data: { userId: 'u1', email: 'ada@example.com', teamId: 't1', workspaceId: 'w1', registeredAt: given.now },
} as const;

describe('user', () => {
  it('registers an e-mail address once', () => {
    given(userDecider, []).when(register).then([registered]);
    given(userDecider, [registered]).when(register).then([]);
  });

  it.each(['', 'notanaddress', 'ada@example.com\nbcc: eve@example.com', `${'a'.repeat(5000)}@example.com`])(
    'is refused for %j, which is no address',
    (email) => {
      given(userDecider, [])
        .when({ ...register, email })
        .thenRefused('invalid');
    },
  );

  it('is refused for an address registered in another team', () => {
    given(userDecider, [registered])
      .when({ ...register, teamId: 't2' })
      .thenRefused('conflict');
  });

  it('is erased once, and may be registered again', () => {
    const erase = {
      type: 'erase-user',
      userId: 'u1',
      workspaceId: 'w1',
      keys: [{ id: 'k', fingerprint: 'f' }],
    } as const;
    const { type: _, ...erasure } = erase;
    const erased = { type: 'user-erased.v1', data: { ...erasure, erasedAt: given.now } } as const;
    given(userDecider, []).when(erase).thenRefused('not_found');
    given(userDecider, [registered]).when(erase).then([erased]);
    given(userDecider, [registered, erased]).when(erase).then([]);
    given(userDecider, [registered, erased]).when(register).then([registered]);
    given(userDecider, [registered, erased, registered]).when(register).then([]);
  });

  it('is registered again if the key of the address is lost', () => {
    const unreadable = { ...registered, data: { ...registered.data, email: null } } as const;
    given(userDecider, [unreadable]).when(register).then([registered]);
  });

  it('has its password set and reset once per change', () => {
    const first = { type: 'set-password', userId: 'u1', generation: 1 } as const;
    const set = { type: 'user-password-set.v1', data: { userId: 'u1', generation: 1, setAt: given.now } } as const;
    given(userDecider, [registered]).when(first).then([set]);
    given(userDecider, [registered, set])
      .when({ type: 'reset-password', userId: 'u1', generation: 2 })
      .then([{ type: 'user-password-reset.v1', data: { userId: 'u1', generation: 2, resetAt: given.now } }]);
    given(userDecider, []).when(first).thenRefused('not_found');
  });
});
