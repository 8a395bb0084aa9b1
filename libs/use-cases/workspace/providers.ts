import {
  EraseMemberHandler,
  GiveRoleHandler,
  RemoveRoleHandler,
  SetAnalystsContentHandler,
  SetTwoPeopleHandler,
} from './commands.js';
import { GetWorkspaceHandler } from './queries.js';

export const WORKSPACE = [
  EraseMemberHandler,
  GetWorkspaceHandler,
  GiveRoleHandler,
  RemoveRoleHandler,
  SetAnalystsContentHandler,
  SetTwoPeopleHandler,
];
