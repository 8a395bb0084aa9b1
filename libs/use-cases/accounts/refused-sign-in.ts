import { loadUser, recordAct } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { RefusedSignIn } from '#domain/session/index.js';

const DAY_MS = 24 * 3_600_000;
/** Refusals of one user that are put on the log in a day: who knows the password of a blocked account may try without end. */
const MAX_REFUSED_A_DAY = 1_000;

/**
 * Puts on the log that somebody who named a user was not let in; nothing if there is no such user. Nobody waits for the record: how
 * long an answer takes must not say whether there is.
 */
export function recordRefused(application: Application, userId: string, refused: RefusedSignIn): void {
  const record = async () => {
    const user = await loadUser(application, userId);
    if (!user) return;
    const { coordination } = application.ports;
    const { applied } = await coordination.increment(`sign-ins-refused:${userId}`, 1, DAY_MS, MAX_REFUSED_A_DAY);
    if (!applied) return;
    const data = { userId, workspaceId: user.workspaceId, ...refused };
    await recordAct(application, { type: 'sign-in-refused.v1', data }, { actor: 'system:api' });
  };
  void application.background.once('record-refused-sign-in', record());
}
