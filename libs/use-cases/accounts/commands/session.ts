import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  AccountBook,
  changePassword,
  checkPassword,
  closeSession,
  hasPassword,
  inForceEverywhere,
  moveSession,
  readSession,
  recordAct,
  type TooMany,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import { roleIn } from '#domain/team/index.js';
import type { Origin } from '#domain/session/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { CallerCommand, type CommandNeeds } from '../../commands-and-queries.js';
import { beginSession, sessionIdOf, type BegunSession } from '../begun-session.js';
import { sessionView, type SessionView } from '../session-view.js';

interface NewPassword {
  /** The token of the caller's session. */
  readonly token: string;
  /** Required if the user has a password. */
  readonly current_password?: string | null;
  readonly new_password: string;
  /** The origin of the request, by which wrong passwords are counted. */
  readonly network: string;
  readonly origin: Origin;
}

/** Sets the caller's password, which ends all sessions and sign-in links, and begins another session. */
export class SetPassword extends CallerCommand<
  NewPassword,
  BegunSession | ({ readonly kind: 'too-many' } & TooMany) | null
> {
  static override readonly needs: CommandNeeds = ['own'];
}

@CommandHandler(SetPassword)
export class SetPasswordHandler implements ICommandHandler<SetPassword> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  /** @returns null if the session has ended @throws InvalidError for the present password */
  async execute({ caller, identity, input }: SetPassword) {
    const { coordination } = this.application.ports;
    const session = await readSession(coordination, this.secret, input.token);
    if (!session) return null;
    const { userId } = session;
    if (await hasPassword(coordination, userId)) {
      const { current_password: password, network } = input;
      if (typeof password !== 'string') throw currentPassword('missing', 'is required, since this user has a password');
      const check = await checkPassword(coordination, this.secret, { userId, password, network });
      if (check.kind === 'too-many') return check;
      if (check.kind === 'wrong') throw currentPassword('not_allowed', 'is not the present password');
    }
    const context = callerContext(caller, identity);
    const generation = await changePassword(this.application, userId, input.new_password, context);
    const way = { method: 'password', origin: input.origin } as const;
    const begun = await beginSession(this.application, this.secret, session, generation, way);
    await inForceEverywhere(this.application);
    return begun;
  }
}

const currentPassword = (type: 'missing' | 'not_allowed', message: string): InvalidError =>
  new InvalidError({ path: ['current_password'], message, type });

interface SessionToMove {
  readonly token: string;
  readonly workspaceId: string;
}

/** Moves the caller's session to another workspace of the user. The process forgets the session as it was. */
export class SwitchWorkspace extends CallerCommand<SessionToMove, SessionView | null> {
  static override readonly needs: CommandNeeds = ['own'];
}

@CommandHandler(SwitchWorkspace)
export class SwitchWorkspaceHandler implements ICommandHandler<SwitchWorkspace> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly accounts: AccountBook,
  ) {}

  /** @returns null if the session has ended @throws NotFoundError no workspace of the user */
  async execute({ input: { token, workspaceId } }: SwitchWorkspace): Promise<SessionView | null> {
    const session = await readSession(this.application.ports.coordination, this.secret, token);
    if (!session) return null;
    const account = await this.accounts.findFor(session.teamId, session.userId);
    if (!account || roleIn(account, workspaceId, session.userId) === null)
      throw new NotFoundError('workspace', workspaceId);
    const of = { sessionId: sessionIdOf(this.secret, token), userId: session.userId, workspaceId };
    await recordAct(this.application, { type: 'workspace-switched.v1', data: of });
    const moved = await moveSession(this.application, this.secret, token, workspaceId);
    return moved && sessionView(this.application, this.accounts, moved);
  }
}

/** Ends the session of a token. The process forgets it. */
export class SignOut extends CallerCommand<string, void> {
  static override readonly needs: CommandNeeds = ['own'];
}

@CommandHandler(SignOut)
export class SignOutHandler implements ICommandHandler<SignOut> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  async execute({ caller: { userId, workspaceId }, input: token }: SignOut): Promise<void> {
    await closeSession(this.application, this.secret, token);
    const of = { sessionId: sessionIdOf(this.secret, token), userId, workspaceId };
    await recordAct(this.application, { type: 'signed-out.v1', data: of });
  }
}
