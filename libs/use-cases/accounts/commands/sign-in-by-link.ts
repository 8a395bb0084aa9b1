import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountBook, loadUser, redeemSignInToken } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Origin } from '#domain/session/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { recordRefused } from '../refused-sign-in.js';
import { beginSession, ownerAdmitted, type BegunSession } from '../begun-session.js';

/** Begins a session by the token of a sign-in link, which works once. */
export class SignInByLink extends Command<BegunSession | null> {
  constructor(
    readonly token: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(SignInByLink)
export class SignInByLinkHandler implements ICommandHandler<SignInByLink> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly accounts: AccountBook,
  ) {}

  /** @returns null for a link that is over, or if the user has left the team since it was made, or the team is blocked */
  async execute({ token, origin }: SignInByLink): Promise<BegunSession | null> {
    const link = await redeemSignInToken(this.application.ports.coordination, this.secret, token);
    const by = { method: 'link', origin } as const;
    if (link && 'spentBy' in link) recordRefused(this.application, link.spentBy, { ...by, why: 'spent-link' });
    const user = link && 'userId' in link ? await loadUser(this.application, link.userId) : null;
    if (!link || 'spentBy' in link || !user) return null;
    const found = await ownerAdmitted(this.accounts, user, link.madeAt);
    if ('owner' in found) return beginSession(this.application, this.secret, found.owner, link.generation, by);
    recordRefused(this.application, user.userId, { ...by, why: 'not-admitted' });
    return null;
  }
}
