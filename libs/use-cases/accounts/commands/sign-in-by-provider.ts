import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  AccountBook,
  allTeams,
  findUser,
  giveRole,
  passwordGeneration,
  userIdOf,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { DomainError } from '#domain/errors.js';
import type { Role } from '#domain/permissions.js';
import { roleIn } from '#domain/team/index.js';
import type { Origin, RefusedSignIn } from '#domain/session/index.js';
import { isEmailAddress } from '#domain/user/index.js';
import { Settings } from '#settings/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { recordRefused } from '../refused-sign-in.js';
import { beginSession, ownerAdmitted, type BegunSession } from '../begun-session.js';

/** The claims of an OpenID provider about the person who signed in there. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Begins a session of the account of a verified e-mail address, and gives the account the role that the claims name; or
 * tells the person why not.
 */
export class SignInByProvider extends Command<BegunSession | Refusal> {
  constructor(
    readonly claims: Claims,
    readonly origin: Origin,
  ) {
    super();
  }
}

interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
}

const refused = (reason: string): Refusal => ({ kind: 'refused', reason });

/** False for an address that has the account of another one only by its lower case: the Kelvin sign becomes a k. */
const isSpelledAlike = (email: string): boolean => !ASCII.test(email.toLowerCase()) || ASCII.test(email);
const ASCII = /^\p{ASCII}*$/u;

@CommandHandler(SignInByProvider)
export class SignInByProviderHandler implements ICommandHandler<SignInByProvider> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly accounts: AccountBook,
    private readonly settings: Settings,
  ) {}

  async execute({ claims, origin }: SignInByProvider): Promise<BegunSession | Refusal> {
    const { email } = claims;
    const not = (why: RefusedSignIn['why']): void => {
      if (typeof email !== 'string' || !isEmailAddress(email) || !isSpelledAlike(email)) return;
      recordRefused(this.application, userIdOf(email), { method: 'provider', why, origin });
    };
    if (typeof email !== 'string' || claims['email_verified'] !== true) {
      not('unverified-address');
      return refused('Your provider does not say that your e-mail address is verified.');
    }
    if (!isEmailAddress(email)) return refused('Your provider gives something that is no e-mail address.');
    if (!isSpelledAlike(email)) return refused(`${email} has a letter that only looks like another one.`);
    const refusal = await this.follow(email, this.roleOf(claims));
    if (refusal !== null) {
      not('not-admitted');
      return refused(refusal);
    }
    const user = await findUser(this.application, email);
    const found = user && (await ownerAdmitted(this.accounts, user, new Date().toISOString()));
    if (!found || 'refusal' in found) {
      not('not-admitted');
      return refused(`${email} is in no workspace here. Ask the owner of one to invite this address.`);
    }
    const generation = await passwordGeneration(this.application.ports.coordination, found.owner.userId);
    const way = { method: 'provider', origin } as const;
    return beginSession(this.application, this.secret, found.owner, generation, way);
  }

  /** The role of the first rule that the claims meet. */
  private roleOf(claims: Claims): Role | null {
    const met = this.settings.oidcRoles.find(({ claim, value }) => {
      const said = claims[claim];
      return Array.isArray(said) ? said.includes(value) : said === value;
    });
    return met?.role ?? null;
  }

  /** Gives the role in the first workspace, whose own owner stays. @returns why it cannot be given */
  private async follow(email: string, role: Role | null): Promise<string | null> {
    if (role === null) return null;
    const [team] = await allTeams(this.application);
    const [workspaceId] = team?.founders.keys() ?? [];
    if (!team || workspaceId === undefined) throw new Error('the first start has made no workspace');
    const user = await findUser(this.application, email);
    const isOwn = user !== null && team.workspaces.get(user.userId) === workspaceId;
    if (isOwn || (user && roleIn(team, workspaceId, user.userId) === role)) return null;
    try {
      const invitation = { teamId: team.teamId, workspaceId, email, role, readmits: false };
      await giveRole(this.application, invitation, systemContext('oidc', workspaceId));
      return null;
    } catch (error) {
      if (error instanceof DomainError) return error.message;
      throw error;
    }
  }
}
