import { hasPassword, loadUser, type AccountBook, type Session } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { Permission, Role } from '#domain/permissions.js';
import { permissionsIn, roleIn, workspacesOf } from '#domain/team/index.js';

/** A session, with its user as the team has them now. */
export interface SessionView {
  readonly session: Session;
  /** null: its key is lost. */
  readonly email: string | null;
  /** In the workspace; null for a former member. */
  readonly role: Role | null;
  readonly permissions: ReadonlySet<Permission>;
  /** Workspaces that the session can switch to. */
  readonly workspaces: readonly { readonly id: string; readonly ownerEmail: string | null; readonly role: Role }[];
  readonly hasPassword: boolean;
}

export async function sessionView(
  application: Application,
  accounts: AccountBook,
  session: Session,
): Promise<SessionView> {
  const { userId, teamId, workspaceId } = session;
  const account = await accounts.of(teamId);
  const workspaces = workspacesOf(account, userId).map(async (id) => {
    const founder = await loadUser(application, account.founders.get(id)!);
    return { id, ownerEmail: founder?.email ?? null, role: roleIn(account, id, userId)! };
  });
  return {
    session,
    email: (await loadUser(application, userId))?.email ?? null,
    role: roleIn(account, workspaceId, userId),
    permissions: permissionsIn(account, workspaceId, userId),
    workspaces: await Promise.all(workspaces),
    hasPassword: await hasPassword(application.ports.coordination, userId),
  };
}
