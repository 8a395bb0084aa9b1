import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { generationJobDecider, type GenerationRequester } from '#domain/generation-job/index.js';
import { BUILT_IN, Generators } from '#rows/synthetic/generators.js';
import { generationJobDocuments } from '#projections/generation-jobs/queries.js';
import type { RateLimitName } from '../../limits/limit-table.js';
import { KeyGate } from '../../limits/key-gate.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { allChecks } from '../../all-checks.js';
import { requireProject } from '../../projects/require-project.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { requireNameToSaveIn } from '../name-to-save-in.js';
import type { GenerationOrder } from '../order.js';
import { rowsRequest, savedIn } from '../rows-request.js';

/** @returns the id of the job */
export class StartGeneration extends CallerCommand<GenerationOrder, string> {
  static override readonly rateLimit: RateLimitName = 'generate';
}

@CommandHandler(StartGeneration)
export class StartGenerationHandler implements ICommandHandler<StartGeneration> {
  constructor(
    private readonly application: Application,
    private readonly generators: Generators,
    private readonly queues: WorkQueues,
    private readonly keys: KeyGate,
  ) {}

  async execute({ caller, identity, input: body }: StartGeneration): Promise<string> {
    const jobId = derivedId(identity.commandId, 'generation-job');
    if (await this.application.recall(generationJobDecider, jobId, identity)) return jobId;
    const { workspaceId } = caller;
    const rows = rowsRequest(body, jobId);
    const datasetName = savedIn(body);
    const generator = body.model_id ?? BUILT_IN;
    const requestedBy = requesterOf(caller);
    const on = { jobId, workspaceId, requestedBy, projectId: body.project_id ?? null };
    const [, , projectId] = await allChecks(
      this.requireAllowed(caller, generator),
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
      this.application.execute(generationJobDecider, jobId, command, context, [generationJobDocuments.collection]),
    );
    return jobId;
  }

  private async requireAllowed(caller: Caller, generator: string): Promise<void> {
    if (generator !== BUILT_IN) await this.keys.requireModel(caller, generator);
  }
}

const requesterOf = ({ kind, userId, teamId, keyId }: Caller): GenerationRequester => ({ kind, userId, teamId, keyId });
