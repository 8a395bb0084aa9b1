import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { seenReadableVersion } from '#application/datasets.js';
import { changeModel, loadModel } from '#application/models.js';
import { Models } from '#calls/models.js';
import { distillationDecider } from '#domain/distillation/index.js';
import { InvalidError } from '#domain/errors.js';
import { policyOf, type CascadePolicy, type ImprovementPolicy } from '#domain/improvement/index.js';
import type { NamedModel } from '#domain/model/index.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { requireTeacher } from '../../distillation/require-teacher.js';
import { KeyGate } from '../../limits/key-gate.js';

interface PolicyOfModel {
  /** The model's. */
  readonly name: string;
  readonly policy: ImprovementPolicy;
}

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
    if (policy.cascade) await this.requireShown(caller, model, policy.cascade);
    if (policy.regressionDataset) {
      const { name: dataset, version } = policy.regressionDataset;
      await seenReadableVersion(this.application, { workspaceId, name: dataset, version: version ?? 'latest' });
    }
    const whole = { ...policy, cascade: cascade ?? null };
    const stored = { ...whole, setBy: { kind, userId, teamId, keyId } };
    const change = { type: 'set-policy', policy: stored } as const;
    await changeModel(this.application, { workspaceId, name }, change, callerContext(caller, identity));
    return whole;
  }

  /** @throws InvalidError, NotFoundError; ForbiddenError the caller's key may not call the teacher */
  private async requireShown(
    caller: Caller,
    { modelId, name }: NamedModel,
    { to, targetAgreement }: CascadePolicy,
  ): Promise<void> {
    await requireTeacher({ models: this.models, keys: this.keys }, caller, to, ['body', 'cascade', 'to']);
    const { recent } = await this.application.load(distillationDecider, modelId);
    const shown = recent.filter(({ bound }) => bound).map(({ request }) => request.targetAgreement);
    if (!shown.includes(targetAgreement))
      throw refused(
        'target_agreement',
        `must be one that a distillation of ${name} has shown (${[...new Set(shown)].join(', ') || 'none yet'}): POST /models/${name}/distil`,
      );
  }
}

const refused = (field: string, message: string): InvalidError =>
  new InvalidError({ path: ['body', 'cascade', field], message, type: 'not_allowed' });
