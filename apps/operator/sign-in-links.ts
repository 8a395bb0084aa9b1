import { changePassword, makeSignInToken, inForceEverywhere, type User } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import { isMember } from '#domain/team/index.js';
import type { Json } from '#domain/json.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { userOf } from './keys.js';
import { OperationError, type Operations } from './operation.js';
import { teamOf, type NewSignInLink } from './teams.js';
import { operatorContext } from './operator-context.js';

/** @param address where clients reach the API, known once it listens */
export const signInLinks =
  (application: Application, secret: SecretKey, address: { readonly url: string }): NewSignInLink =>
  async (user) => {
    const { actor, by } = operatorContext(user.workspaceId);
    const who = { actor, ...(by !== undefined && { by }) };
    return `${address.url}/sign-in?token=${await makeSignInToken(application, secret, user, who)}`;
  };

/** `sign-in-link`, `password.reset` */
export const signInOperations = (application: Application, newLink: NewSignInLink): Operations => ({
  /** `{email?}`: default the first user */
  async *'sign-in-link'({ email }) {
    const user = await memberOf(application, email);
    yield { email: user.email, signInLink: await newLink(user) };
  },

  /** `{email}`: takes the password away, and with it all sessions and earlier links of the user; makes a new link */
  async *'password.reset'({ email }) {
    if (typeof email !== 'string') throw new OperationError('the e-mail address of the user is required');
    const user = await memberOf(application, email);
    await changePassword(application, user.userId, null, operatorContext(user.workspaceId));
    await inForceEverywhere(application);
    yield { email: user.email, signInLink: await newLink(user) };
  },
});

/**
 * Default: the first user.
 * @throws OperationError for a former member
 */
async function memberOf(application: Application, email: Json | undefined): Promise<User> {
  const user = await userOf(application, email);
  if (isMember(await teamOf(application, user.teamId), user.userId)) return user;
  throw new OperationError(`${user.email} has left the team; see: anneal team add-member`);
}
