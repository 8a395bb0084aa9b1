import type { Application } from '#application/application.js';
import type { DistillationEvent } from '#domain/distillation/index.js';
import type { FeedbackEvent } from '#domain/feedback/index.js';
import { lastDue, policyOf, type ImprovementEvent, type ImprovementTrigger } from '#domain/improvement/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { UseCases } from '../../use-cases.js';
import { PolicyWork } from './policy-work.js';
import type { PolicyCommand, RuledModel } from './ruled-model.js';

type Models = ReadonlyMap<string, RuledModel>;

type Watched = ModelEvent | ImprovementEvent | DistillationEvent | FeedbackEvent;

const HOUR_MS = 60 * 60_000;

/** Improves models, rolls them back, and reports drift, according to their policies. */
export function modelPolicies(
  application: Application,
  door: UseCases,
): ProcessManager<Models, PolicyCommand, Watched> {
  const work = new PolicyWork(application, door);
  return {
    name: 'model-policies',
    initial: new Map(),
    on: MODELS,
    pending: (models, now) => [...models.values()].flatMap((model) => dueOf(model, now)),
    key: (command) => `${command.type}/${command.model.modelId}/${reasonOf(command)}`,
    workspaceOf: ({ model }) => model.workspaceId,
    execute: (command) => work.run(command),
  };
}

/** Another one is a reason to look again at once, as each verdict is. */
function reasonOf(command: PolicyCommand): string | number {
  const { verdicts, policySetAt } = command.model;
  if (command.type === 'improve') return command.due;
  return command.type === 'drift' ? policySetAt : verdicts;
}

function dueOf(model: RuledModel, now: number): readonly PolicyCommand[] {
  const { triggers, rollback, driftPsi = null } = model.policy;
  const commands: PolicyCommand[] = [];
  if (!model.isImproving) {
    const { corrections, weekly } = triggers;
    if (corrections !== null && model.verdicts >= corrections)
      commands.push({
        type: 'improve',
        trigger: 'corrections',
        model,
        due: `corrections/${model.improvedAt}/${model.verdicts}`,
      });
    const due = weekly && lastDue(weekly, now);
    if (due !== null && due > Date.parse(model.lastWeekly ?? model.policySetAt))
      commands.push({ type: 'improve', trigger: 'weekly', model, due: new Date(due).toISOString() });
  }
  if (rollback && model.promoted && now < Date.parse(model.promoted.at) + rollback.windowHours * HOUR_MS)
    commands.push({ type: 'watch', model });
  if (driftPsi !== null) commands.push({ type: 'drift', model });
  return commands;
}

const MODELS: Handlers<Models, Watched> = {
  'model-created.v1': (models, { data: { modelId, workspaceId, name, at } }) =>
    // Of a name that a training gave, a person's claim changes nothing here.
    models.has(modelId)
      ? models
      : new Map(models).set(modelId, {
          ...{ modelId, workspaceId, name, policy: policyOf(null), policySetAt: at },
          ...{ isImproving: false, verdicts: 0, improvedAt: null, lastWeekly: null, learned: null, promoted: null },
        }),
  'model-policy-set.v1': (models, { data: { modelId, policy, at } }) =>
    changed(models, modelId, () => ({ policy: policyOf(policy), policySetAt: at })),
  'model-version-promoted.v1': (models, { data: { modelId, version, previous, rollback, at } }) =>
    changed(models, modelId, () => ({
      promoted: rollback || previous === null ? null : { version, previous, at },
    })),
  'model-deleted.v1'(models, { data }) {
    const others = new Map(models);
    others.delete(data.modelId);
    return others;
  },
  'improvement-requested.v1': (models, { data: { modelId, trigger, requestedAt, champion, corrections = 0 } }) =>
    changed(models, modelId, begun({ requestedAt, trigger, learned: { ...champion, corrections } })),
  'distillation-requested.v1': (models, { data: { modelId, trigger, requestedAt, corrections = 0 } }) =>
    changed(models, modelId, begun({ requestedAt, trigger, learned: { trainingJobId: null, corrections } })),
  'distillation-ended.v1': (models, { data }) => changed(models, data.modelId, () => ({ isImproving: false })),
  'gate-forced.v1': (models, { data }) => changed(models, data.modelId, () => ({ isImproving: true })),
  'improvement-ended.v1': (models, { data }) => changed(models, data.modelId, () => ({ isImproving: false })),
  'feedback-given.v1'(models, { data: { workspaceId } }) {
    let after = models;
    for (const { modelId, workspaceId: of } of models.values())
      if (of === workspaceId) after = changed(after, modelId, ({ verdicts }) => ({ verdicts: verdicts + 1 }));
    return after;
  },
};

/** A model that is improved from now on. */
const begun =
  (request: {
    readonly requestedAt: string;
    readonly trigger?: ImprovementTrigger | undefined;
    readonly learned: NonNullable<RuledModel['learned']>;
  }) =>
  ({ lastWeekly }: RuledModel): Partial<RuledModel> => ({
    ...{ isImproving: true, verdicts: 0, improvedAt: request.requestedAt, learned: request.learned },
    lastWeekly: request.trigger === 'weekly' ? request.requestedAt : lastWeekly,
  });

function changed(models: Models, modelId: string, to: (model: RuledModel) => Partial<RuledModel>): Models {
  const model = models.get(modelId);
  return model ? new Map(models).set(modelId, { ...model, ...to(model) }) : models;
}
