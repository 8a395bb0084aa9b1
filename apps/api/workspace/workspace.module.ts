import { Module } from '@nestjs/common';
import { GiveRoleHandler, RemoveRoleHandler, SetAnalystsContentHandler } from './commands.js';
import { GetWorkspaceHandler } from './queries.js';
import { WorkspaceController } from './workspace.controller.js';

@Module({
  controllers: [WorkspaceController],
  providers: [GiveRoleHandler, RemoveRoleHandler, SetAnalystsContentHandler, GetWorkspaceHandler],
})
export class WorkspaceModule {}
