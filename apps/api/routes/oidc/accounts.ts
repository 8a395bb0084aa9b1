import { Injectable } from '@nestjs/common';
import { AccountBook, allTeams, findUser, giveRole, ownerOf, type SessionOwner } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { DomainError } from '#domain/errors.js';
import type { Role } from '#domain/permissions.js';
import { roleIn } from '#domain/team/index.js';
import { Settings } from '#settings/index.js';
import { isAdmitted } from '../../edge/auth/index.js';
import type { Claims } from './provider.js';

/** The user of this installation who signed in at the provider, or the reason why the sign-in failed. */
export type Found = { readonly owner: SessionOwner } | { readonly refusal: string };

/** False for an address that has the account of another one only by its lower case: the Kelvin sign becomes a k. */
const isSpelledAlike = (email: string): boolean => !ASCII.test(email.toLowerCase()) || ASCII.test(email);
const ASCII = /^\p{ASCII}*$/u;

/** Finds the account of a verified e-mail address, and gives it the role that its claims name. */
@Injectable()
export class OidcAccounts {
  constructor(
    private readonly application: Application,
    private readonly accounts: AccountBook,
    private readonly settings: Settings,
  ) {}

  async of(claims: Claims): Promise<Found> {
    const { email } = claims;
    if (typeof email !== 'string' || claims['email_verified'] !== true)
      return { refusal: 'Your provider does not say that your e-mail address is verified.' };
    if (!isSpelledAlike(email)) return { refusal: `${email} has a letter that only looks like another one.` };
    const refusal = await this.follow(email, this.roleOf(claims));
    if (refusal !== null) return { refusal };
    const user = await findUser(this.application, email);
    const account = user && (await this.accounts.findFor(user.teamId, user.userId));
    if (!user || !account || !isAdmitted(account, user.userId, new Date().toISOString()))
      return { refusal: `${email} is in no workspace here. Ask the owner of one to invite this address.` };
    return { owner: ownerOf(account, user) };
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
