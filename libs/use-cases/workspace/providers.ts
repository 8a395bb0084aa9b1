import { EraseMemberHandler, GiveRoleHandler, RemoveRoleHandler, SetAnalystsContentHandler } from './commands.js';
import { GetWorkspaceHandler } from './queries.js';

export const WORKSPACE = [
  EraseMemberHandler,
  GetWorkspaceHandler,
  GiveRoleHandler,
  RemoveRoleHandler,
  SetAnalystsContentHandler,
];
