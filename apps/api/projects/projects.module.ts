import { Module } from '@nestjs/common';
import { CreateProjectHandler, DeleteProjectHandler } from './commands.js';
import { ProjectsController } from './projects.controller.js';
import { ListProjectsHandler } from './queries.js';

@Module({
  controllers: [ProjectsController],
  providers: [CreateProjectHandler, DeleteProjectHandler, ListProjectsHandler],
})
export class ProjectsModule {}
