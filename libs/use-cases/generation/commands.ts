import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { generationJobDecider, type GenerationRequester } from '#domain/generation-job/index.js';
import { BUILT_IN, Generators } from '#rows/synthetic/generators.js';
import { generationJobDocuments } from '#projections/generation-jobs/queries.js';
import { WorkQueues } from '../limits/work-queues.js';
import { allChecks } from '../all-checks.js';
import { requireProject } from '../projects/require-project.js';
import { CallerCommand } from '../messages.js';
import type { GenerateBody } from '#apps/api/routes/generation/dto.js';
import { requireNameToSaveIn } from './name-to-save-in.js';
import type { GenerationStarted } from '#apps/api/routes/generation/responses.js';
import { rowsRequest, savedIn } from './rows-request.js';

export class StartGeneration extends CallerCommand<GenerateBody, GenerationStarted> {}

@CommandHandler(StartGeneration)
export class StartGenerationHandler implements ICommandHandler<StartGeneration> {
  constructor(
    private readonly application: Application,
    private readonly generators: Generators,
    private readonly queues: WorkQueues,
  ) {}

  async execute({ caller, identity, input: body }: StartGeneration): Promise<GenerationStarted> {
    const jobId = derivedId(identity.commandId, 'generation-job');
    const started = { job_id: jobId, status: 'queued' };
    if (await this.application.recall(generationJobDecider, jobId, identity)) return started;
    const { workspaceId } = caller;
    const rows = rowsRequest(body, jobId);
    const datasetName = savedIn(body);
    const generator = body.model_id ?? BUILT_IN;
    const requestedBy = requesterOf(caller);
    const on = { jobId, workspaceId, requestedBy, projectId: body.project_id ?? null };
    const [, projectId] = await allChecks(
      this.generators.named(generator).check(rows, on),
      requireProject(this.application, workspaceId, body.project_id),
      requireNameToSaveIn(this.application, workspaceId, datasetName),
    );
    const command = {
      type: 'request-generation',
      jobId,
      workspaceId,
      requestedBy,
      generator,
      rows,
      datasetName,
      projectId,
    } as const;
    const context = callerContext(caller, identity);
    await this.queues.enter('generation', caller, () =>
      this.application.execute(generationJobDecider, jobId, command, context, [generationJobDocuments.name]),
    );
    return started;
  }
}

const requesterOf = ({ kind, userId, teamId, keyId }: Caller): GenerationRequester => ({ kind, userId, teamId, keyId });
