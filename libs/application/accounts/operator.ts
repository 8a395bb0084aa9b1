import { teamDecider } from '#domain/team/index.js';
import { derivedId } from '#log/execute.js';
import type { Settings } from '#settings/index.js';
import type { Application } from '../application.js';
import { loadUser } from './users.js';

export const FIRST_TEAM = derivedId('bootstrap', 'team');
/** The first user's e-mail address if the settings name none at the first start. */
export const DEFAULT_ADMIN_EMAIL = 'admin@localhost';

/**
 * The address of the operator: the user whom ANNEAL_ADMIN_EMAIL names, else whom the first start registered, as long as that one is a
 * member.
 */
export async function operatorEmail(
  application: Application,
  { adminEmail }: Pick<Settings, 'adminEmail'>,
): Promise<string> {
  if (adminEmail !== null) return adminEmail;
  const team = await application.load(teamDecider, FIRST_TEAM);
  if (team.status === 'none') return DEFAULT_ADMIN_EMAIL;
  const [first] = team.founders.values();
  const user = first !== undefined && team.workspaces.has(first) ? await loadUser(application, first) : null;
  return user?.email ?? DEFAULT_ADMIN_EMAIL;
}
