import type { Application } from '#application/application.js';
import { datasetStreamId, loadVersion } from '#application/datasets.js';
import { changeModel, loadModel } from '#application/models.js';
import { readLearnedTask } from '#calls/cascade/learned-task.js';
import { calibrate } from '#distillation/agreement/bound.js';
import { tooOneSided } from '#distillation/agreement/one-sided.js';
import { ceilingOf } from '#distillation/copies/copies.js';
import { batchDecider, type BatchEnd } from '#domain/batch/index.js';
import {
  distillationDecider,
  distillationOf,
  isOpen,
  type Distillation,
  type DistillationOutcome,
  type DistillationStep,
} from '#domain/distillation/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { policyOf, type CascadePolicy, type DatasetChoice, type ImprovementPolicy } from '#domain/improvement/index.js';
import { versionOf } from '#domain/model/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import type { Errand } from '../../errands.js';
import { StartEvaluation } from '../../evaluations/commands/start.js';
import { completeEvaluation } from '../../evaluations/complete.js';
import type { WorkersUseCases } from '../../open.js';
import { trainedJob, given, proposedPromotion, StoppedError } from '../../stages.js';
import { StartTrainingJob } from '../../training-jobs/commands/start.js';
import { LabelTaskTexts } from '../commands/label.js';
import { CollectTeacherRows } from '../commands/collect.js';
import { judgedAnswers } from '../judged-answers.js';
import { MAX_RECORDED_CALLS } from '../recorded-calls.js';
import { whyNot } from '../figures.js';

const STEP = 'distillations';
const LABEL = 'candidate';

/** Takes distillations through their stages, one event a step; a step repeated after a crash finds what it did before. */
export class DistillationWork {
  constructor(
    private readonly application: Application,
    private readonly useCases: Pick<WorkersUseCases, 'errands' | 'secondPerson'>,
  ) {}

  /** @throws if the failure is not the distillation's fault: the step is retried */
  async advance(
    { distillationId, modelId }: { readonly distillationId: string; readonly modelId: string },
    signal: AbortSignal,
  ): Promise<void> {
    const state = await this.application.load(distillationDecider, modelId);
    const distillation = distillationOf(state, distillationId);
    if (!distillation || !isOpen(distillation)) return;
    try {
      await this.next(distillation, signal);
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      await this.end(distillation, error.outcome, null, error.message);
    }
  }

  private next(distillation: Distillation, signal: AbortSignal): Promise<void> {
    const { dataset, jobId, evaluationId, bound, labelling, request } = distillation;
    if (bound) return this.conclude(distillation);
    if (evaluationId !== null) return this.calibrate(distillation, evaluationId, signal);
    if (jobId !== null) return this.validate(distillation, jobId);
    if (dataset) return this.train(distillation, dataset);
    if (request.label && !labelling?.end) return this.label(distillation);
    return this.collect(distillation);
  }

  /** Has the teacher asked about texts, and waits for its answers; what has none is said, and is no reason to stop. */
  private async label(distillation: Distillation): Promise<void> {
    const { labelling, request } = distillation;
    if (!labelling) {
      const begun = await given(
        'labelling more texts',
        () => this.useCases.errands.give(errandOf(distillation, 'label'), LabelTaskTexts, request),
        'refused',
      );
      return this.record(distillation, { type: 'start-labelling', ...begun });
    }
    const { batchId, texts, copies } = labelling;
    const batch = batchId === null ? null : await this.application.load(batchDecider, batchId);
    const end = batch?.status === 'ended' ? batch.end : null;
    if (batchId !== null && end === null) return;
    const labelled = end?.completed ?? 0;
    const asked = batch?.status === 'ended' ? batch.request.requests : 0;
    const counts = { labelled, notLabelled: texts - copies - labelled, reason: whyNotAll(end, texts - copies - asked) };
    // Collected next, by the history.
    await this.record(distillation, { type: 'end-labelling', ...counts }, [inferenceDocuments.collection]);
  }

  private async collect(distillation: Distillation): Promise<void> {
    const { dataset, task, calls } = await given(
      'learning from the calls',
      () => this.useCases.errands.give(errandOf(distillation, 'collect'), CollectTeacherRows, distillation.request),
      'refused',
    );
    await this.record(distillation, { type: 'collect-rows', dataset, task, calls });
  }

  private async train(distillation: Distillation, dataset: DatasetChoice): Promise<void> {
    const { workspaceId, baseModel, name, from } = distillation.request;
    const version = await loadVersion(this.application, datasetStreamId(workspaceId, dataset.name), dataset.versionId);
    const shown = `dataset ${JSON.stringify(dataset.name)} version ${dataset.version}`;
    if (!version || version.status === 'deleted') throw new StoppedError(`${shown} was deleted`);
    if (version.status === 'failed') throw new StoppedError(`${shown} failed; its processing_error says why`);
    if (version.status !== 'ready') return;
    const task =
      distillation.task && (await readLearnedTask(this.application.ports.objectStore, distillation.task.object));
    const described = task?.labelDescriptions ?? {};
    const order = {
      model_name: `${name}, distilled`.slice(0, 100),
      unnamed: true as const,
      base_model: baseModel,
      datasets: [{ name: dataset.name, version: dataset.version }],
      project_id: from.projectId,
      ...(Object.keys(described).length > 0 && { label_descriptions: described }),
    };
    const { id: jobId } = await given('the training', () =>
      this.useCases.errands.give(errandOf(distillation, 'train'), StartTrainingJob, order),
    );
    await this.record(distillation, { type: 'start-training', jobId });
  }

  private async validate(distillation: Distillation, jobId: string): Promise<void> {
    const job = await this.application.load(trainingJobDecider, jobId);
    if (job.status === 'requested' || job.status === 'running') return;
    const { name, from, taskType } = distillation.request;
    // A language model has no bound to be shown.
    if (taskType === 'decoder') return this.conclude(distillation);
    await trainedJob(this.application, jobId, name);
    const order = { cross_validation_of: jobId, project_id: from.projectId };
    const { id: evaluationId } = await given('the cross-validation', () =>
      this.useCases.errands.give(errandOf(distillation, 'validate'), StartEvaluation, order),
    );
    await this.record(distillation, { type: 'start-validation', evaluationId });
  }

  private async calibrate(distillation: Distillation, evaluationId: string, signal: AbortSignal): Promise<void> {
    const evaluation = await completeEvaluation(this.application, evaluationId);
    if (!evaluation) return;
    const { targetAgreement: target } = distillation.request;
    const calls = await judgedAnswers(this.application, distillation, evaluation, signal);
    const found = calibrate(calls, target);
    if (found.kind !== 'bound')
      throw new StoppedError(whyNot(found, calls.length, target) + ceilingSaid(distillation), 'refused');
    const oneSided = tooOneSided(
      calls.map(({ expected }) => expected),
      calls.filter(({ agrees }) => agrees).length,
    );
    if (oneSided !== null) throw new StoppedError(oneSided, 'refused');
    await this.record(distillation, { type: 'calibrate', bound: found.bound });
  }

  /**
   * Adds the version; puts it in use where nothing, or the teacher itself, was in use, since the teacher goes on answering at first; and
   * after the distilled version that was in use when it was asked for, if the policy promotes. A language model answers all calls itself
   * and asks no teacher, so it comes after nothing.
   */
  private async conclude(distillation: Distillation): Promise<void> {
    const {
      workspaceId,
      name,
      distillationId,
      teacher,
      requestedBy,
      trigger = 'request',
      inUse,
      taskType,
    } = distillation.request;
    const model = { workspaceId, name };
    const context = (step: string) => contextOf(distillation, step);
    try {
      const target = distillation.jobId!;
      const { baseModel } = (await trainedJob(this.application, target, name)).request;
      const isBounded = taskType !== 'decoder';
      const add = { target, trainingJobId: target, baseModel: baseModel.id, ...(isBounded && { distillationId }) };
      await changeModel(this.application, model, { type: 'add-version', ...add }, context('add-version'));
      const named = await loadModel(this.application, model);
      const { version } = named.versions.find((each) => each.target === target)!;
      const policy = policyOf(named.policy);
      // What a policy asked for is by the policy.
      if (trigger === 'request' && isBounded) {
        const whole = { ...policy, cascade: cascadeOf(distillation, policy), setBy: requestedBy };
        await changeModel(this.application, model, { type: 'set-policy', policy: whole }, context('policy'));
      }
      const reason = `distillation ${distillationId} of ${teacher}`;
      const before = versionOf(named, named.inUse);
      const follows = before?.distillationId !== undefined && before.version === inUse && policy.onPass === 'promote';
      const isTeachers = isBounded && before?.target === teacher;
      const isTaken = before === null || before.version === version || isTeachers || follows;
      const promote = { type: 'promote-version', version, reason } as const;
      const proposed =
        isTaken && before?.version !== version
          ? await proposedPromotion(
              this.useCases.secondPerson,
              errandOf(distillation, 'propose'),
              { name, change: promote },
              `system:${STEP}`,
            )
          : null;
      if (isTaken && proposed === null) {
        await changeModel(this.application, model, promote, context('promote'));
        return await this.end(distillation, 'in_use', version, null);
      }
      const label = { type: 'set-label', label: LABEL, version, reason } as const;
      await changeModel(this.application, model, label, context('label'));
      const other = `version ${before?.version} is in use; promote ${name}@${version} to have it answer`;
      await this.end(distillation, 'candidate', version, proposed?.message ?? other);
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ConflictError) throw new StoppedError(error.message);
      throw error;
    }
  }

  private end(
    distillation: Distillation,
    outcome: DistillationOutcome,
    version: number | null,
    reason: string | null,
  ): Promise<void> {
    return this.record(distillation, { type: 'end-distillation', outcome, version, reason });
  }

  private async record(
    { request }: Distillation,
    step: DistillationStep,
    visibleIn: readonly string[] = [],
  ): Promise<void> {
    const { distillationId, modelId, workspaceId } = request;
    const command = { ...step, distillationId, modelId, workspaceId };
    await this.application.execute(distillationDecider, modelId, command, systemContext(STEP, workspaceId), visibleIn);
  }
}

/** @param unasked texts of which no request was made */
function whyNotAll(end: BatchEnd | null, unasked: number): string | null {
  const stopped = end && end.outcome !== 'completed' ? (end.error?.message ?? `the batch is ${end.outcome}`) : null;
  const failed = end && stopped === null && end.failed > 0 ? `${end.failed} requests failed; the error file of the batch says why` : null; // prettier-ignore
  const left = unasked > 0 ? `${unasked} rows have no text that the prompt can take, or are beyond the ${MAX_RECORDED_CALLS} of one distillation` : null; // prettier-ignore
  const reasons = [stopped, failed, left].filter((each) => each !== null);
  return reasons.length > 0 ? reasons.join('; ') : null;
}

/** Why no model may reach the target, if copies say so. */
function ceilingSaid({ calls, request }: Distillation): string {
  const own = calls?.ownAgreement ?? null;
  if (own === null || ceilingOf(own) >= request.targetAgreement) return '';
  return `; of copies the teacher answered ${percent(own)} of the pairs alike, so no model agrees with it in more than ${percent(ceilingOf(own))}`;
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;

const cascadeOf = ({ request }: Distillation, { cascade }: ImprovementPolicy): CascadePolicy => ({
  to: request.teacher,
  targetAgreement: request.targetAgreement,
  auditShare: request.auditShare,
  teacherDown: cascade?.teacherDown ?? 'fail',
});

const contextOf = ({ request: { distillationId, workspaceId } }: Distillation, step: string) =>
  systemContext(STEP, workspaceId, derivedId(distillationId, step));

/** A step, in the name of the person who asked for the distillation. */
const errandOf = ({ request, requestedAt }: Distillation, step: string): Errand => ({
  caller: { ...request.requestedBy, workspaceId: request.workspaceId },
  askedAt: requestedAt,
  requestId: `distillation_${request.distillationId}_${step}`,
  commandId: derivedId(request.distillationId, step),
});
