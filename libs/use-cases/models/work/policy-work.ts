import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { correctedCalls } from '../../improvements/corrected-calls.js';
import { isRefusal } from '../../errands.js';
import type { UseCases } from '../../use-cases.js';
import { DistilAgain } from '../../distillation/commands/distil-again.js';
import { ImproveModel } from '../../improvements/commands/improve.js';
import { changeModel, isStored, loadModel } from '#application/models.js';
import { isRight } from '#domain/feedback/index.js';
import type { ImprovementRequester, RollbackRule } from '#domain/improvement/index.js';
import { versionOf, type ModelVersion, type NamedModel } from '#domain/model/index.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments, pageBefore, pageByNumber } from '#projections/inferences/queries.js';
import { DriftWatch } from './drift-watch.js';
import type { PolicyCommand, RuledModel } from './ruled-model.js';

const ROLE = 'model-policies';
/** The latest calls of a version that a rollback is decided on: the limit bounds the cost of each check. */
const MAX_WATCHED_CALLS = 1_000;

/** Executes a policy. A refused command is not repeated until there is another reason for it. */
export class PolicyWork {
  /** Checks that found nothing to do, by trigger and model. */
  private readonly inVain = new Map<string, string>();

  private readonly drift: DriftWatch;

  constructor(
    private readonly application: Application,
    private readonly door: UseCases,
  ) {
    this.drift = new DriftWatch(application);
  }

  async run(command: PolicyCommand): Promise<void> {
    if (command.type === 'watch') return this.watch(command.model);
    if (command.type === 'drift') return this.drift.watch(command.model);
    const key = `${command.trigger}/${command.model.modelId}`;
    if (this.inVain.get(key) === command.due) return;
    if (command.trigger === 'corrections' && !(await this.verdictsAreSeen())) return;
    if (!(await this.improve(command))) this.inVain.set(key, command.due);
  }

  /** Whether the history shows the verdicts that are the reason to look. One that lags would show too few corrections. */
  private async verdictsAreSeen(): Promise<boolean> {
    const { ports, visibility } = this.application;
    return visibility.wait([inferenceDocuments.collection], (await ports.eventStore.head()).position);
  }

  /**
   * Asks for an improvement, or of a distilled version for another distillation, whose steps are made in the name of the person who
   * set the policy: one who may no longer make them is named by the improvement that then fails.
   * @returns whether one was requested
   */
  private async improve({ model, trigger, due }: Extract<PolicyCommand, { type: 'improve' }>): Promise<boolean> {
    const { modelId, workspaceId, name, policy, policySetAt: askedAt } = model;
    const { setBy } = policy as { readonly setBy?: ImprovementRequester };
    if (!setBy) return false;
    try {
      if (trigger === 'corrections' && (await this.newCorrections(model)) < policy.triggers.corrections!) return false;
      const commandId = derivedId(modelId, `improve/${askedAt}/${due}`);
      const identity = { requestId: commandId, commandId, repeated: true, actor: `system:${ROLE}` };
      const inUse = await this.inUse(model);
      const caller = { ...setBy, workspaceId };
      await (inUse?.distillationId === undefined
        ? this.door.execute(new ImproveModel(caller, identity, { name, trigger }))
        : this.door.execute(new DistilAgain(caller, identity, { name, trigger })));
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  /** Calls of the version in use, or of the name of a distilled one, whose answers were corrected since its last improvement began. */
  private async newCorrections(model: RuledModel): Promise<number> {
    const { workspaceId, name, learned } = model;
    const inUse = await this.inUse(model);
    if (!inUse?.trainingJobId) return 0;
    const trainingJobId = inUse.distillationId === undefined ? inUse.trainingJobId : null;
    const of = trainingJobId === null ? ({ modelKey: name, task: 'generate' } as const) : { trainingJobId };
    const all = await correctedCalls(this.application, workspaceId, of);
    return learned?.trainingJobId === trainingJobId ? all - learned.corrections : all;
  }

  private async inUse({ workspaceId, name }: RuledModel): Promise<ModelVersion | null> {
    const model = await loadModel(this.application, { workspaceId, name });
    return versionOf(model, model.inUse);
  }

  /** Whoever set the policy: a version that performs badly must not stay in use because that person has left. */
  private async watch({ workspaceId, name, policy, promoted }: RuledModel): Promise<void> {
    const model = await loadModel(this.application, { workspaceId, name });
    const { trainingJobId, distillationId } = versionOf(model, promoted!.version) ?? {};
    if (model.inUse !== promoted!.version || !trainingJobId) return;
    const calls = await this.latestCalls(workspaceId, `${name}@${promoted!.version}`, trainingJobId, distillationId);
    const why = broken(
      policy.rollback!,
      calls.filter(({ createdAt, shadowOf }) => createdAt >= promoted!.at && shadowOf === undefined),
    );
    if (why === null) return;
    const version = await this.lastStored(model, promoted!.previous);
    if (version === null) return;
    const change = { type: 'roll-back', version, reason: why } as const;
    const context = systemContext(ROLE, workspaceId, derivedId(model.modelId, `roll-back/${promoted!.at}`));
    await changeModel(this.application, { workspaceId, name }, change, context);
  }

  /** Of a distilled version also those that its teacher answered for it. */
  private async latestCalls(
    workspaceId: string,
    versionKey: string,
    trainingJobId: string,
    distillationId: string | undefined,
  ): Promise<readonly InferenceDocument[]> {
    const { readStore } = this.application.ports;
    const page = { limit: MAX_WATCHED_CALLS, offset: 0, before: null };
    if (distillationId !== undefined) return pageBefore(readStore, workspaceId, { where: { versionKey } }, page);
    return (await pageByNumber(readStore, { where: { workspaceId, trainingJobId }, ordinal: 'nJob' }, page)).documents;
  }

  /** The version last in use that can still answer; null if there is none. */
  private async lastStored(model: NamedModel, previous: number): Promise<number | null> {
    for (const version of [previous, ...model.earlier.toReversed()]) {
      const found = versionOf(model, version);
      if (found && version !== model.inUse && (await isStored(this.application, found))) return version;
    }
    return null;
  }
}

/** Why a version is rolled back; null: it is not. */
function broken(
  { minCalls, maxErrorRate, maxDisagreement }: RollbackRule,
  calls: readonly Pick<InferenceDocument, 'status' | 'verdict'>[],
): string | null {
  const percent = (share: number) => `${Math.round(share * 1_000) / 10}%`;
  const failed = calls.filter(({ status }) => status === 'failed').length;
  if (maxErrorRate !== null && calls.length >= minCalls && failed / calls.length > maxErrorRate)
    return `${failed} of its ${calls.length} calls failed, more than ${percent(maxErrorRate)}`;
  const reviewed = calls.filter(({ verdict }) => isRight(verdict) !== null).length;
  const wrong = calls.filter(({ verdict }) => isRight(verdict) === false).length;
  if (maxDisagreement !== null && reviewed >= minCalls && wrong / reviewed > maxDisagreement)
    return `${wrong} of its ${reviewed} reviewed answers were corrected, more than ${percent(maxDisagreement)}`;
  return null;
}
