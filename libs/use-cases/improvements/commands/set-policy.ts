import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { seenReadableVersion } from '#application/datasets.js';
import { changeModel, loadModel } from '#application/models.js';
import type { ImprovementPolicy } from '#domain/improvement/index.js';
import { CallerCommand } from '../../commands-and-queries.js';

interface PolicyOfModel {
  /** The model's. */
  readonly name: string;
  readonly policy: ImprovementPolicy;
}

export class SetPolicy extends CallerCommand<PolicyOfModel, void> {}

@CommandHandler(SetPolicy)
export class SetPolicyHandler implements ICommandHandler<SetPolicy> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { name, policy } }: SetPolicy): Promise<void> {
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    await loadModel(this.application, { workspaceId, name });
    if (policy.regressionDataset) {
      const { name: dataset, version } = policy.regressionDataset;
      await seenReadableVersion(this.application, { workspaceId, name: dataset, version: version ?? 'latest' });
    }
    const stored = { ...policy, setBy: { kind, userId, teamId, keyId } };
    const change = { type: 'set-policy', policy: stored } as const;
    await changeModel(this.application, { workspaceId, name }, change, callerContext(caller, identity));
  }
}
