import type { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { projectDecider } from '#domain/project/index.js';

/** A project by the log itself. @returns its id, null for none @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireProject(
  application: Application,
  workspaceId: string,
  projectId: string | null | undefined,
): Promise<string | null> {
  if (projectId === undefined || projectId === null) return null;
  const state = await application.load(projectDecider, projectId);
  if (state.status !== 'active' || state.project.workspaceId !== workspaceId)
    throw new NotFoundError('project', projectId);
  return projectId;
}
