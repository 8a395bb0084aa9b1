import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { ProjectDocument } from '#projections/projects/projection.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { CreateProject, DeleteProject } from '#use-cases/projects/commands.js';
import { CreateProjectBody, Deleted, ListProjectsQuery, ProjectList, ProjectRecord } from './dto.js';
import { GetProject, ListProjects } from '#use-cases/projects/queries.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('Projects')
@ReadingNeeds('history')
@Controller('projects')
export class ProjectsController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @ApiOperation({ summary: 'Lists the projects of the workspace, newest first' })
  @ApiOkResponse({ type: ProjectList })
  async list(@KnownQuery() query: ListProjectsQuery, @CurrentCaller() caller: Caller): Promise<ProjectList> {
    const { documents, total } = await this.useCases.execute(new ListProjects(caller, query));
    return { success: true, count: documents.length, total, projects: documents.map(record) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One project' })
  @ApiOkResponse({ type: ProjectRecord })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<ProjectRecord> {
    return record(await this.useCases.execute(new GetProject(caller, id, asOf)));
  }

  @Post()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Creates a project, which groups datasets, jobs and calls' })
  @ApiOkResponse({ type: ProjectRecord })
  async create(
    @KnownBody() body: CreateProjectBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ProjectRecord> {
    return record(await this.useCases.execute(new CreateProject(caller, identity, body)));
  }

  @Delete(':id')
  @Reasoned()
  @ApiOperation({ summary: "Deletes a project; its datasets, jobs and calls stay, and keep the project's id" })
  @MayNeedTwo()
  @ApiOkResponse({ type: Deleted })
  async delete(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<Deleted> {
    await this.useCases.execute(new DeleteProject(caller, identity, id));
    return { success: true, message: 'the project is deleted' };
  }
}

const record = ({ id, name, description, createdAt }: ProjectDocument): ProjectRecord => ({
  id,
  name,
  description,
  created_at: createdAt,
});
