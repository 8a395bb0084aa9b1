import type { Application } from '#application/application.js';
import { systemContext, type CommandContext } from '#log/context.js';
import { datasetStreamId, loadVersion, seenReadableVersion } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { changeModel, loadModel } from '#application/models.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import {
  improvementDecider,
  improvementOf,
  isOpen,
  type CollectedFeedback,
  type DatasetChoice,
  type EvaluationPair,
  type Improvement,
  type ImprovementCommand,
  type ImprovementOutcome,
  type ImprovementPolicy,
  type ImprovementsState,
} from '#domain/improvement/index.js';
import { trainingJobDecider, type TrainingRequest } from '#domain/training-job/index.js';
import { decideGate } from '#evaluations/gate.js';
import { MakeFromFeedback } from '../../datasets/commands/from-feedback.js';
import type { Errand } from '../../errands.js';
import { StartEvaluation } from '../../evaluations/commands/start.js';
import type { EvaluationOrder } from '../../evaluations/order.js';
import { completeEvaluation } from '../../evaluations/complete.js';
import type { WorkersUseCases } from '../../open.js';
import { trainedJob, given, proposedPromotion, StoppedError } from '../../stages.js';
import { StartTrainingJob } from '../../training-jobs/commands/start.js';
import type { TrainingJobOrder } from '../../training-jobs/order.js';
import { evaluatedTexts, factsOf, sizeOf } from './measured.js';

const STEP = 'improvements';
const LABEL = 'candidate';

/**
 * Takes improvements through their stages, one event a step. A step's command has an id derived from the improvement,
 * so that a step repeated after a crash finds what it did before.
 */
export class ImprovementWork {
  constructor(
    private readonly application: Application,
    private readonly useCases: Pick<WorkersUseCases, 'errands' | 'callTimes' | 'secondPerson'>,
  ) {}

  /** @throws if the failure is not the improvement's fault: the step is retried */
  async advance(
    { improvementId, modelId }: { readonly improvementId: string; readonly modelId: string },
    signal: AbortSignal,
  ): Promise<void> {
    const state = await this.application.load(improvementDecider, modelId);
    const improvement = improvementOf(state, improvementId);
    if (!improvement || !isOpen(improvement)) return;
    try {
      await this.next(improvement, state, signal);
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      await this.end(improvement, 'failed', null, error.message);
    }
  }

  private next(improvement: Improvement, state: ImprovementsState, signal: AbortSignal): Promise<void> {
    if (improvement.decision || improvement.forced) return this.conclude(improvement);
    if (improvement.evaluations) return this.gate(improvement, improvement.evaluations, signal);
    if (improvement.jobId !== null) return this.evaluate(improvement, improvement.jobId);
    if (improvement.dataset) return this.train(improvement, improvement.dataset);
    return this.collect(improvement, state);
  }

  private async collect(improvement: Improvement, { recent }: ImprovementsState): Promise<void> {
    const { dataset } = improvement.request;
    const chosen = dataset ? { dataset } : await this.corrections(improvement, sinceWhen(improvement, recent));
    await this.record(improvement, { type: 'choose-dataset', ...chosen });
  }

  /**
   * A new dataset version made of the verdicts on the model's calls.
   * @param since excludes earlier verdicts; null: includes all
   */
  private async corrections(
    improvement: Improvement,
    since: string | null,
  ): Promise<{ readonly dataset: DatasetChoice; readonly collected: CollectedFeedback }> {
    const { name } = improvement.request;
    const order = { dataset_name: `${name}-corrections`, model: name, since };
    const { version, rows, conflicts, leftOut } = await given('collecting corrections', () =>
      this.useCases.errands.give(errandOf(improvement, 'collect'), MakeFromFeedback, order),
    );
    return {
      dataset: { name: version.name, version: version.versionNumber, versionId: version.versionId },
      collected: {
        rows,
        conflicts: conflicts.length,
        leftOut: {
          unsure: leftOut.unsure,
          withoutContent: leftOut.without_content,
          otherTasks: leftOut.other_tasks,
          duplicates: leftOut.duplicates,
        },
      },
    };
  }

  private async train(improvement: Improvement, dataset: DatasetChoice): Promise<void> {
    const { workspaceId, champion, name, policy } = improvement.request;
    const stream = datasetStreamId(workspaceId, dataset.name);
    const version = await loadVersion(this.application, stream, dataset.versionId);
    const shown = `dataset ${JSON.stringify(dataset.name)} version ${dataset.version}`;
    if (!version || version.status === 'deleted') throw new StoppedError(`${shown} was deleted`);
    if (version.status === 'failed') throw new StoppedError(`${shown} failed; its processing_error says why`);
    if (version.status !== 'ready') return;
    const { request } = await trainedJob(
      this.application,
      champion.trainingJobId,
      `version ${champion.version} of ${name}`,
    );
    const order = orderLike(request, dataset, name, await this.measuredOn(request, policy.regressionDataset));
    const { id: jobId } = await given('the training', () =>
      this.useCases.errands.give(errandOf(improvement, 'train'), StartTrainingJob, order),
    );
    await this.record(improvement, { type: 'start-training', jobId });
  }

  /**
   * Datasets whose texts are not learned: the policy's, and those that the champion did not learn. A deleted one can no
   * longer be measured, so nothing is left out for it.
   */
  private async measuredOn(
    { workspaceId, excludedTexts = [] }: TrainingRequest,
    regression: ImprovementPolicy['regressionDataset'],
  ): Promise<readonly DatasetAtVersion[]> {
    const kept: DatasetAtVersion[] = regression ? [regression] : [];
    for (const { name, versionNumber: version } of excludedTexts) {
      // A later version of the policy's dataset takes the place of the one before.
      if (name === regression?.name) continue;
      const found = await seenReadableVersion(this.application, { workspaceId, name, version }).catch(whereGone);
      if (found) kept.push({ name, version });
    }
    return kept;
  }

  private async evaluate(improvement: Improvement, jobId: string): Promise<void> {
    const { champion, policy } = improvement.request;
    const job = await this.application.load(trainingJobDecider, jobId);
    if (job.status === 'requested' || job.status === 'running') return;
    await trainedJob(this.application, jobId, 'the new version');
    const start = async (step: string, order: EvaluationOrder): Promise<string> => {
      const errand = errandOf(improvement, step);
      return (await given('an evaluation', () => this.useCases.errands.give(errand, StartEvaluation, order))).id;
    };
    const heldOut: EvaluationPair = {
      rows: 'held_out',
      candidateId: derivedId(jobId, 'automatic-evaluation'),
      championId: await start('champion', { base_model: champion.trainingJobId, held_out_of: jobId }),
    };
    const { regressionDataset: on } = policy;
    const rows = on && { dataset_name: on.name, ...(on.version !== null && { version_number: on.version }) };
    const regression: readonly EvaluationPair[] = rows
      ? [
          {
            rows: 'regression_dataset',
            candidateId: await start('candidate-regression', { base_model: jobId, ...rows }),
            championId: await start('champion-regression', { base_model: champion.trainingJobId, ...rows }),
          },
        ]
      : [];
    await this.record(improvement, { type: 'start-evaluations', evaluations: [heldOut, ...regression] });
  }

  private async gate(
    improvement: Improvement,
    evaluations: readonly EvaluationPair[],
    signal: AbortSignal,
  ): Promise<void> {
    const ids = evaluations.flatMap(({ candidateId, championId }) => [candidateId, championId]);
    const found = await Promise.all(ids.map((id) => completeEvaluation(this.application, id)));
    const complete = found.filter((each) => each !== null);
    if (complete.length < ids.length) return;
    const { champion, policy } = improvement.request;
    const [candidateJob, championJob] = await Promise.all([
      trainedJob(this.application, improvement.jobId!, 'the new version'),
      trainedJob(this.application, champion.trainingJobId, `version ${champion.version}`),
    ]);
    const facts = await Promise.all(
      complete.map((evaluation) => factsOf(this.application.ports.objectStore, evaluation, signal)),
    );
    const { judgedRows } = championJob.metrics;
    if (judgedRows === null)
      throw new StoppedError(
        `training job ${champion.trainingJobId} was measured by an earlier release; train the version in use again`,
      );
    // The rows that the champion held out come first, then those of the corrections, then those of the regression dataset.
    const part = (of: 0 | 1, name: 'regression' | 'corrections') =>
      name === 'corrections'
        ? facts[of]!.slice(judgedRows)
        : [...facts[of]!.slice(0, judgedRows), ...(facts[of + 2] ?? [])];
    const latencyMs =
      policy.gate.maxLatencyMs === null ? null : await this.latenciesMs(improvement, complete[0]!, signal);
    const decision = await decideGate(
      policy.gate,
      {
        regression: { candidate: part(0, 'regression'), champion: part(1, 'regression') },
        corrections: { candidate: part(0, 'corrections'), champion: part(1, 'corrections') },
        sizeBytes: { candidate: sizeOf(candidateJob), champion: sizeOf(championJob) },
        latencyMs,
      },
      signal,
    );
    await this.record(improvement, { type: 'decide-gate', decision });
  }

  /** The median duration of a call of each model, on texts of the evaluation. */
  private async latenciesMs(
    improvement: Improvement,
    evaluation: NonNullable<Awaited<ReturnType<typeof completeEvaluation>>>,
    signal: AbortSignal,
  ): Promise<{ readonly candidate: number; readonly champion: number }> {
    const texts = await evaluatedTexts(this.application.ports.objectStore, evaluation, signal);
    const errand = errandOf(improvement, 'latency');
    const median = (modelId: string) =>
      given('a call to measure its time', () => this.useCases.callTimes.medianMs(errand, modelId, texts));
    return {
      candidate: await median(improvement.jobId!),
      champion: await median(improvement.request.champion.trainingJobId),
    };
  }

  private async conclude(improvement: Improvement): Promise<void> {
    const { decision, forced, request } = improvement;
    if (!decision?.passed && !forced) {
      const broken = new Set(decision?.rules.filter(({ passed }) => !passed).map(({ rule }) => rule));
      return this.end(improvement, 'rejected', null, `the gate refused it by ${[...broken].join(', ')}`);
    }
    const { workspaceId, name, improvementId, champion, policy } = request;
    const model = { workspaceId, name };
    const context = (step: string) => contextOf(improvement, step);
    try {
      const { baseModel } = (await trainedJob(this.application, improvement.jobId!, 'the new version')).request;
      const target = improvement.jobId!;
      const add = { type: 'add-version', target, trainingJobId: target, baseModel: baseModel.id } as const;
      await changeModel(this.application, model, add, context('add-version'));
      const { versions, inUse } = await loadModel(this.application, model);
      const { version } = versions.find((each) => each.target === target)!;
      const reason = forced
        ? `improvement ${improvementId}, forced past the gate: ${forced.reason}`
        : `improvement ${improvementId} passed the gate`;
      const isPromoted = policy.onPass === 'promote' && (inUse === champion.version || inUse === version);
      const promote = { type: 'promote-version', version, reason } as const;
      const isNew = isPromoted && inUse !== version && !forced?.confirmedBy;
      const errand = errandOf(improvement, forced ? 'propose/forced' : 'propose');
      const proposed = isNew
        ? await proposedPromotion(this.useCases.secondPerson, errand, { name, change: promote }, `system:${STEP}`)
        : null;
      if (isPromoted && proposed === null) {
        const { confirmedBy } = forced ?? {};
        await changeModel(this.application, model, promote, {
          ...context('promote'),
          ...(confirmedBy && { confirmedBy }),
        });
        return await this.end(improvement, 'promoted', version, null);
      }
      await changeModel(
        this.application,
        model,
        { type: 'set-label', label: LABEL, version, reason },
        context('label'),
      );
      const changed = policy.onPass === 'promote' ? `another version than ${champion.version} is in use now` : null;
      await this.end(improvement, 'candidate', version, proposed?.message ?? changed);
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ConflictError) throw new StoppedError(error.message);
      throw error;
    }
  }

  private end(
    improvement: Improvement,
    outcome: ImprovementOutcome,
    version: number | null,
    reason: string | null,
  ): Promise<void> {
    return this.record(improvement, { type: 'end-improvement', outcome, version, reason });
  }

  private async record({ request }: Improvement, step: Step): Promise<void> {
    const { improvementId, modelId, workspaceId } = request;
    const command = { ...step, improvementId, modelId, workspaceId };
    await this.application.execute(improvementDecider, modelId, command, systemContext(STEP, workspaceId));
  }
}

type Step = DistributedOmit<ImprovementCommand, 'improvementId' | 'modelId' | 'workspaceId'>;
type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

const contextOf = ({ request: { improvementId, workspaceId }, forced }: Improvement, step: string): CommandContext =>
  systemContext(STEP, workspaceId, derivedId(improvementId, forced ? `${step}/forced` : step));

/** Verdicts before this time are not learned; null: all are. */
function sinceWhen({ request: { champion, policy } }: Improvement, recent: readonly Improvement[]): string | null {
  const collected = recent.filter(({ request }) => request.dataset === null);
  // Verdicts that the version in use learned are in its datasets.
  const learned = collected.find(({ jobId }) => jobId === champion.trainingJobId);
  const refused = collected.findLast(({ end }) => end?.outcome === 'rejected');
  const known = policy.refusedCorrections === 'left_out' ? [learned, refused] : [learned];
  return (
    known
      .flatMap((each) => each?.requestedAt ?? [])
      .toSorted()
      .at(-1) ?? null
  );
}

type DatasetAtVersion = NonNullable<ImprovementPolicy['regressionDataset']>;

function whereGone(error: unknown): null {
  if (error instanceof NotFoundError || error instanceof ConflictError) return null;
  throw error;
}

/** A step, in the name of the person who asked for the improvement. */
const errandOf = ({ request, requestedAt }: Improvement, step: string): Errand => ({
  caller: { ...request.requestedBy, workspaceId: request.workspaceId },
  askedAt: requestedAt,
  requestId: `improvement_${request.improvementId}_${step}`,
  commandId: derivedId(request.improvementId, step),
});

/** A job with the champion's configuration on its datasets and one more, which holds out the same rows of them. */
function orderLike(
  { jobId, startFrom, baseModel, datasets, configuration, projectId }: TrainingRequest,
  dataset: DatasetChoice,
  modelName: string,
  measuredOn: readonly DatasetAtVersion[],
): TrainingJobOrder {
  const learned = datasets.map((pin) => ({ name: pin.name, version: pin.versionNumber }));
  return {
    model_name: `${modelName}, improved`.slice(0, 100),
    unnamed: true,
    base_model: startFrom ? (startFrom.checkpointId ?? startFrom.jobId) : baseModel.id,
    datasets: [...learned, { name: dataset.name, version: dataset.version }],
    hold_out_like: jobId,
    ...(measuredOn.length > 0 && { exclude_texts_of: measuredOn.map(({ name, version }) => ({ name, version })) }),
    configuration,
    project_id: projectId,
  };
}
