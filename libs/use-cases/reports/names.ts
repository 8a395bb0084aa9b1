import { loadUser } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { Gathered } from './gathered.js';

/** The names of those who acted. */
export interface Names {
  /** `key k1 (laptop)`. @param actor as an event's metadata have it */
  of(actor: string): string;
}

/** @param userIds the workspace's people: only theirs are shown */
export async function namesOf(
  application: Application,
  gathered: Gathered,
  userIds: readonly string[],
): Promise<Names> {
  const names = new Map<string, string>();
  for (const { type, data } of gathered.events('key'))
    if (type === 'api-key-created.v1') names.set(`key:${data['keyId'] as string}`, data['name'] as string);
  for (const userId of userIds) {
    const user = await loadUser(application, userId);
    if (user?.email) names.set(`user:${userId}`, user.email);
  }
  return {
    of(actor) {
      const name = names.get(actor);
      return name === undefined ? actor : `${actor} (${name})`;
    },
  };
}
