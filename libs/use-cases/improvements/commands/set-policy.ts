import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { seenReadableVersion } from '#application/datasets.js';
import { changeModel, loadModel } from '#application/models.js';
import { Models } from '#calls/models.js';
import { distillationDecider } from '#domain/distillation/index.js';
import { policyOf, type CascadePolicy, type ImprovementPolicy } from '#domain/improvement/index.js';
import type { NamedModel } from '#domain/model/index.js';
import { derivedId } from '#log/execute.js';
import { distillationDocuments } from '#projections/distillations/queries.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { requireTeacher } from '../../distillation/require-teacher.js';
import { retargeted } from '../../distillation/retarget.js';
import { KeyGate } from '../../limits/key-gate.js';

interface PolicyOfModel {
  /** The model's. */
  readonly name: string;
  readonly policy: ImprovementPolicy;
}

const VISIBLE_IN = [distillationDocuments.collection];

/** A policy without `cascade` leaves the one that there is. */
export class SetPolicy extends CallerCommand<PolicyOfModel, ImprovementPolicy> {}

@CommandHandler(SetPolicy)
export class SetPolicyHandler implements ICommandHandler<SetPolicy> {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly keys: KeyGate,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { name, policy } }: SetPolicy): Promise<ImprovementPolicy> {
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const model = await loadModel(this.application, { workspaceId, name });
    const { cascade = policyOf(model.policy).cascade } = policy;
    const retargets = policy.cascade ? await this.shown(caller, model, policy.cascade) : [];
    if (policy.regressionDataset) {
      const { name: dataset, version } = policy.regressionDataset;
      await seenReadableVersion(this.application, { workspaceId, name: dataset, version: version ?? 'latest' });
    }
    const whole = { ...policy, cascade: cascade ?? null };
    const stored = { ...whole, setBy: { kind, userId, teamId, keyId } };
    const change = { type: 'set-policy', policy: stored } as const;
    const context = callerContext(caller, identity);
    await changeModel(this.application, { workspaceId, name }, change, context);
    for (const command of retargets) {
      const commandId = derivedId(context.commandId, `retarget/${command.distillationId}`);
      await this.application.execute(
        distillationDecider,
        model.modelId,
        command,
        { ...context, commandId },
        VISIBLE_IN,
      );
    }
    return whole;
  }

  /** @throws InvalidError; ForbiddenError the caller's key may not call the teacher */
  private async shown(caller: Caller, model: NamedModel, { to, targetAgreement }: CascadePolicy) {
    await requireTeacher({ models: this.models, keys: this.keys }, caller, to, ['body', 'cascade', 'to']);
    return retargeted(this.application, model, targetAgreement);
  }
}
