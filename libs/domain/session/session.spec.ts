import { given } from '#test/support/given.js';
import { sessionDecider, type SessionCommand, type SessionEvent } from './index.js';

const at = '2030-01-02T03:04:05.678Z';
const origin = { address: 'ab12', network: '203.0.113.0/24', agent: 'Firefox' };
const of = { sessionId: 's1', userId: 'u1', workspaceId: 'w1' };
const recorded = ({ type, data }: SessionCommand) => ({ type, data: { ...data, at } }) as SessionEvent;
const signIn: SessionCommand = { type: 'signed-in.v1', data: { ...of, method: 'password', origin } };
const out: SessionCommand = { type: 'signed-out.v1', data: of };
const to = (workspaceId: string): SessionCommand => ({ type: 'workspace-switched.v1', data: { ...of, workspaceId } });

describe('a session', () => {
  it('begins, moves to other workspaces and back, and ends', () => {
    given(sessionDecider, [])
      .when(signIn)
      .then([recorded(signIn)]);
    given(sessionDecider, [recorded(signIn)])
      .when(to('w2'))
      .then([recorded(to('w2'))]);
    given(sessionDecider, [recorded(signIn), recorded(to('w2'))])
      .when(to('w1'))
      .then([recorded(to('w1'))]);
    given(sessionDecider, [recorded(signIn)])
      .when(out)
      .then([recorded(out)]);
  });

  it('is not moved to where it is, and does nothing after its end', () => {
    given(sessionDecider, [recorded(signIn)])
      .when(to('w1'))
      .then([]);
    for (const command of [to('w2'), out, signIn])
      given(sessionDecider, [recorded(signIn), recorded(out)])
        .when(command)
        .then([]);
  });
});
