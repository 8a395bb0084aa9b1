import type { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import type { ProjectDocument } from '#projections/projects/projection.js';

/** @returns the project's id, null for none @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireProject(
  { ports }: Application,
  workspaceId: string,
  projectId: string | null | undefined,
): Promise<string | null> {
  if (projectId === undefined || projectId === null) return null;
  const project = await ports.readStore.get<ProjectDocument>('projects', projectId);
  if (project?.workspaceId !== workspaceId) throw new NotFoundError('project', projectId);
  return projectId;
}
