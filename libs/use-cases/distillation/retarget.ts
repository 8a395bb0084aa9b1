import type { Application } from '#application/application.js';
import { calibrate, openingAfter } from '#distillation/agreement/bound.js';
import { InvalidError } from '#domain/errors.js';
import { distillationDecider, type Distillation, type DistillationCommand } from '#domain/distillation/index.js';
import { versionOf, type NamedModel } from '#domain/model/index.js';
import { cascadeDocuments } from '#projections/cascades/queries.js';
import { completeEvaluation } from '../evaluations/complete.js';
import { StoppedError } from '../stages.js';
import { whyNot } from './figures.js';
import { judgedAnswers } from './judged-answers.js';

type Retarget = Extract<DistillationCommand, { readonly type: 'retarget' }>;

/**
 * What has to be done so that a name's distilled versions hold another target. Those whose calibration does not show it keep theirs: if
 * it is lower, their teacher answers all their calls.
 * @throws InvalidError the version in use, or without one the newest, does not show it, with its figures
 */
export async function retargeted(
  application: Application,
  model: NamedModel,
  target: number,
): Promise<readonly Retarget[]> {
  const { recent } = await application.load(distillationDecider, model.modelId);
  const isShown = recent.some(({ bound, request }) => bound && request.targetAgreement === target);
  const made = recent.filter(({ end, cascade }) => (end?.version ?? null) !== null && cascade.state !== 'returned');
  if (made.length === 0 && !isShown)
    throw refused(
      `must be one that a distillation of ${model.name} has shown (none yet): POST /models/${model.name}/distil`,
    );
  const used = versionOf(model, model.inUse)?.distillationId;
  const decisive = made.find(({ request }) => request.distillationId === used) ?? made.at(-1);
  const found: Retarget[] = [];
  for (const each of made.filter(({ request }) => request.targetAgreement !== target)) {
    const said = await commandFor(application, each, target);
    if (typeof said !== 'string') found.push(said);
    else if (each === decisive)
      throw refused(
        `is not shown by the distillation of version ${each.end!.version}: ${said}; POST /models/${model.name}/distil`,
      );
  }
  return found;
}

/** The command that has a distillation hold the target, or why its calls do not show it. */
async function commandFor(application: Application, made: Distillation, target: number): Promise<Retarget | string> {
  const { distillationId, modelId, workspaceId } = made.request;
  try {
    const evaluation = await completeEvaluation(application, made.evaluationId!);
    if (!evaluation) return 'its calls are being judged';
    const { readStore } = application.ports;
    const calls = await judgedAnswers(application, made, evaluation, new AbortController().signal);
    const calibration = calibrate(calls, target);
    if (calibration.kind !== 'bound') return whyNot(calibration, calls.length, target);
    const { bound } = calibration;
    // Whether the student answers is decided later, by the log: this is to say so before.
    const { watched = [] } = (await cascadeDocuments.get(readStore, distillationId)) ?? {};
    const { answered, disagreements, isContradicted } = openingAfter(bound, watched, target);
    if (isContradicted)
      return `of the first ${watched.length} calls it would have answered ${answered}, and ${disagreements} of these otherwise than the teacher`;
    return { type: 'retarget', distillationId, modelId, workspaceId, targetAgreement: target, bound };
  } catch (error) {
    if (error instanceof StoppedError) return error.message;
    throw error;
  }
}

const refused = (message: string): InvalidError =>
  new InvalidError({ path: ['body', 'cascade', 'target_agreement'], message, type: 'not_allowed' });
