import { Module } from '@nestjs/common';
import { CreateProjectHandler, DeleteProjectHandler } from './commands.js';
import { ProjectsController } from './projects.controller.js';
import { GetProjectHandler, ListProjectsHandler } from './queries.js';

@Module({
  controllers: [ProjectsController],
  providers: [CreateProjectHandler, DeleteProjectHandler, GetProjectHandler, ListProjectsHandler],
})
export class ProjectsModule {}
