import type { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { projectDocuments } from '#projections/projects/queries.js';

/** @returns the project's id, null for none @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireProject(
  { ports }: Application,
  workspaceId: string,
  projectId: string | null | undefined,
): Promise<string | null> {
  if (projectId === undefined || projectId === null) return null;
  const project = await projectDocuments.get(ports.readStore, projectId);
  if (project?.workspaceId !== workspaceId) throw new NotFoundError('project', projectId);
  return projectId;
}
