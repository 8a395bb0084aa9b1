import { Module } from '@nestjs/common';
import { EraseMemberHandler, GiveRoleHandler, RemoveRoleHandler, SetAnalystsContentHandler } from './commands.js';
import { GetWorkspaceHandler } from './queries.js';
import { WorkspaceController } from './workspace.controller.js';

@Module({
  controllers: [WorkspaceController],
  providers: [GiveRoleHandler, RemoveRoleHandler, EraseMemberHandler, SetAnalystsContentHandler, GetWorkspaceHandler],
})
export class WorkspaceModule {}
