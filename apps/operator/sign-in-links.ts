import { createSignInToken } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { userOf } from './keys.js';
import { OperationError, type Operations } from './operation.js';
import { teamOf } from './teams.js';

/** Makes a link, host and path, that signs a user in once within a day. */
export type NewSignInLink = (userId: string) => Promise<string>;

/** @param address where clients reach the API, known once it listens */
export const signInLinks =
  ({ ports }: Application, secret: SecretKey, address: { readonly url: string }): NewSignInLink =>
  async (userId) =>
    `${address.url}/sign-in?token=${await createSignInToken(ports.coordination, secret, userId)}`;

/** `sign-in-link` */
export const signInOperations = (application: Application, newLink: NewSignInLink): Operations => ({
  /** `{email?}`: default the first user */
  async *'sign-in-link'({ email }) {
    const user = await userOf(application, email);
    const { workspaces } = await teamOf(application, user.teamId);
    if (!workspaces.has(user.userId))
      throw new OperationError(`${user.email} has left the team; see: anneal team add-member`);
    yield { email: user.email, signInLink: await newLink(user.userId) };
  },
});
