import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { loadModel } from '#application/models.js';
import { distillationDecider, distillationOf, type Distillation } from '#domain/distillation/index.js';
import { ConflictError } from '#domain/errors.js';
import { policyOf, type ImprovementTrigger } from '#domain/improvement/index.js';
import { versionOf } from '#domain/model/index.js';
import { derivedId } from '#log/execute.js';
import { distillationDocuments } from '#projections/distillations/queries.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { nameAtRequest } from '../name-at-request.js';

const VISIBLE_IN = [distillationDocuments.collection];

interface Again {
  /** The model's. */
  readonly name: string;
  readonly trigger: ImprovementTrigger;
}

/** The distillation of the version in use again, with the calls that came since, by the target that the policy has now. */
export class DistilAgain extends CallerCommand<Again, Distillation> {}

/** What would refuse the request of a person, as a teacher that is gone, ends the distillation instead: nobody waits for an answer. */
@CommandHandler(DistilAgain)
export class DistilAgainHandler implements ICommandHandler<DistilAgain> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError the version in use was not distilled, or the policy's budget is used up */
  async execute({ caller, identity, input: { name, trigger } }: DistilAgain): Promise<Distillation> {
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const context = callerContext(caller, identity);
    const model = await loadModel(this.application, { workspaceId, name });
    const { modelId, inUse } = model;
    const distillationId = derivedId(context.commandId, 'distillation');
    const known = await this.application.load(distillationDecider, modelId);
    const before = distillationOf(known, versionOf(model, inUse)?.distillationId);
    if (!before) throw new ConflictError(`version ${inUse} of model ${name} was not distilled`);
    const { cascade } = policyOf(model.policy);
    const {
      request: { label: _, ...request },
      task,
    } = before;
    const { state } = await this.application.execute(
      distillationDecider,
      modelId,
      {
        ...({ ...request, type: 'request-distillation', distillationId, trigger } as const),
        ...{ task: task?.id ?? request.task, from: { ...request.from, until: null } },
        ...(cascade && { targetAgreement: cascade.targetAgreement, auditShare: cascade.auditShare }),
        ...{ requestedBy: { kind, userId, teamId, keyId }, ...(await nameAtRequest(this.application, model)) },
      },
      context,
      VISIBLE_IN,
    );
    return distillationOf(state, distillationId)!;
  }
}
