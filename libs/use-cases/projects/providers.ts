import { CreateProjectHandler, DeleteProjectHandler } from './commands.js';
import { GetProjectHandler, ListProjectsHandler } from './queries.js';

export const PROJECTS = [CreateProjectHandler, DeleteProjectHandler, GetProjectHandler, ListProjectsHandler];
