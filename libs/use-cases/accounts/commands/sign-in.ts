import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountBook, checkPassword, loadUser, userIdOf, type TooMany } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Origin } from '#domain/session/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { recordRefused } from '../refused-sign-in.js';
import { beginSession, ownerAdmitted, type BegunSession } from '../begun-session.js';

type SignInRefused =
  | { readonly kind: 'wrong' }
  | { readonly kind: 'not-admitted'; readonly reason: string }
  | ({ readonly kind: 'too-many' } & TooMany);

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
    const by = { method: 'password', origin } as const;
    const { coordination } = this.application.ports;
    const check = await checkPassword(coordination, this.secret, { userId, password, network });
    if (check.kind === 'wrong') recordRefused(this.application, userId, { ...by, why: 'wrong-password' });
    if (check.kind !== 'right') return check;
    const user = await loadUser(this.application, userId);
    if (!user) return { kind: 'wrong' };
    const found = await ownerAdmitted(this.accounts, user, new Date().toISOString());
    if ('refusal' in found) {
      recordRefused(this.application, userId, { ...by, why: 'not-admitted' });
      return { kind: 'not-admitted', reason: found.refusal };
    }
    return beginSession(this.application, this.secret, found.owner, check.generation, by);
  }
}
