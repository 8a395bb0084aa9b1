import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  AccountBook,
  checkPassword,
  loadUser,
  recordAct,
  userIdOf,
  type TooMany,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Origin } from '#domain/session/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { beginSession, ownerAdmitted, type BegunSession } from '../begun-session.js';

type SignInRefused =
  | { readonly kind: 'wrong' }
  | { readonly kind: 'not-admitted'; readonly reason: string }
  | ({ readonly kind: 'too-many' } & TooMany);

const DAY_MS = 24 * 3_600_000;
/** Refusals of one user that are put on the log in a day: who knows the password of a blocked account may try without end. */
const MAX_REFUSED_A_DAY = 1_000;

/** Begins a session for who knows the password of an address. */
export class SignIn extends Command<BegunSession | SignInRefused> {
  constructor(
    readonly email: string,
    readonly password: string,
    /** The origin of the attempt, by which attempts are counted. */
    readonly network: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(SignIn)
export class SignInHandler implements ICommandHandler<SignIn> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly accounts: AccountBook,
  ) {}

  /** @throws UnavailableError when too many passwords are checked now */
  async execute({ email, password, network, origin }: SignIn): Promise<BegunSession | SignInRefused> {
    const userId = userIdOf(email);
    const { coordination } = this.application.ports;
    const check = await checkPassword(coordination, this.secret, { userId, password, network });
    if (check.kind === 'wrong') this.refused(userId, 'wrong-password', origin);
    if (check.kind !== 'right') return check;
    const user = await loadUser(this.application, userId);
    if (!user) return { kind: 'wrong' };
    const found = await ownerAdmitted(this.accounts, user, new Date().toISOString());
    if ('refusal' in found) {
      this.refused(userId, 'not-admitted', origin);
      return { kind: 'not-admitted', reason: found.refusal };
    }
    const way = { method: 'password', origin } as const;
    return beginSession(this.application, this.secret, found.owner, check.generation, way);
  }

  /** Nobody waits for the record: how long an answer takes must not say whether there is such a user. */
  private refused(userId: string, why: 'wrong-password' | 'not-admitted', origin: Origin): void {
    const record = async () => {
      const user = await loadUser(this.application, userId);
      if (!user) return;
      const { coordination } = this.application.ports;
      const { applied } = await coordination.increment(`sign-ins-refused:${userId}`, 1, DAY_MS, MAX_REFUSED_A_DAY);
      if (!applied) return;
      const { workspaceId } = user;
      const data = { userId, workspaceId, method: 'password', why, origin } as const;
      await recordAct(this.application, { type: 'sign-in-refused.v1', data }, { actor: 'system:api' });
    };
    void this.application.background.once('record-refused-sign-in', record());
  }
}
