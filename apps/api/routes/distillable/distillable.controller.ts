import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { may, type Caller } from '#application/caller.js';
import { ListDistillable } from '#use-cases/distillation/queries/distillable.js';
import { UseCases } from '#use-cases/use-cases.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { CurrentCaller, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { FastifyRequest } from '../../edge/http.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { DistillableQuery, DistillableTasks } from './dto.js';
import { distillableRecord } from './record.js';

/** A megabyte: hundreds of tasks with their labels. */
const TASKS_BYTES = 1024 * 1024;

@ApiTags('Distillation')
@ReadingNeeds('history')
@Controller('distillable')
export class DistillableController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @Needs('history')
  @ReadsContent('calls')
  @AnswerBytes(() => TASKS_BYTES)
  @ApiOperation({
    summary: 'Finds tasks that recorded calls of models repeat, and says whether a small model could do them',
    description: 'Reads the newest 20,000 calls, which takes seconds.',
  })
  @ApiOkResponse({ type: DistillableTasks })
  async list(
    @CurrentCaller() caller: Caller,
    @KnownQuery() { model, project_id: projectId, since }: DistillableQuery,
    @Req() request: FastifyRequest,
  ): Promise<DistillableTasks> {
    const wanted = { ...(model && { model }), ...(projectId && { projectId }), ...(since && { since }) };
    const found = await untilClientGone(request, (signal) =>
      this.useCases.execute(new ListDistillable(caller, { ...wanted, signal })),
    );
    return distillableRecord(found, may(caller, 'content'));
  }
}
