import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { isBroken, isSuspected } from '#domain/distillation/audit.js';
import { openingAfter } from '#distillation/agreement/bound.js';
import {
  distillationDecider,
  distillationOf,
  type Distillation,
  type DistillationStep,
} from '#domain/distillation/index.js';
import type { Position } from '#ports/event-store/port.js';
import type { CascadeDocument } from '#projections/cascades/projection.js';
import { ComparedCalls } from './compared-calls.js';

const ROLE = 'distillations';
/** Live calls, all answered by the teacher, after which the student may answer. */
export const WATCHED_CALLS = 200;
/** More than any certainty: the student answers nothing. */
const NOTHING = 2;

/** Opens a cascade after its first calls, and gives all calls back to the teacher when audits speak against its target. */
export class CascadeWatch {
  /** The step, and the calls that had been compared, when it was looked at last, by distillation. */
  private readonly seen = new Map<string, string>();
  private readonly calls: ComparedCalls;

  constructor(private readonly application: Application) {
    this.calls = new ComparedCalls(application);
  }

  /** @param since place of the request of the earliest distillation that is followed */
  async look(
    {
      distillationId,
      modelId,
      step,
    }: { readonly distillationId: string; readonly modelId: string; readonly step: number },
    since: Position,
  ): Promise<void> {
    const counted = await this.calls.of(distillationId, since);
    if (!counted) return;
    const compared = `${step}/${counted.watched.length + counted.evidence.audited}`;
    if (this.seen.get(distillationId) === compared) return;
    const distillation = distillationOf(await this.application.load(distillationDecider, modelId), distillationId);
    const change = distillation && changeOf(distillation, counted);
    if (change) {
      const { workspaceId } = distillation.request;
      const command = { ...change, distillationId, modelId, workspaceId };
      await this.application.execute(distillationDecider, modelId, command, systemContext(ROLE, workspaceId));
      this.application.forget();
    }
    this.seen.set(distillationId, compared);
  }
}

type Change = Extract<DistillationStep, { readonly type: 'open-cascade' | 'suspect-cascade' | 'return-to-teacher' }>;

function changeOf({ bound, cascade, request }: Distillation, counted: CascadeDocument): Change | null {
  const { watched, evidence } = counted;
  if (cascade.state === 'watching') {
    if (watched.length < WATCHED_CALLS || !bound) return null;
    const { threshold, answered, isContradicted, ...sure } = openingAfter(bound, watched, request.targetAgreement);
    if (isContradicted)
      return {
        type: 'return-to-teacher',
        reason: `of the first ${watched.length} calls it would have answered ${answered}, and ${sure.disagreements} of these otherwise than the teacher`,
        ...{ audited: answered, disagreements: sure.disagreements },
      };
    return {
      type: 'open-cascade',
      ...{ threshold: Number.isFinite(threshold) ? threshold : NOTHING, watched: watched.length },
      disagreements: watched.filter(({ agrees }) => !agrees).length,
    };
  }
  const { audited, disagreements } = evidence;
  if (isBroken(evidence))
    return {
      type: 'return-to-teacher',
      reason: `of ${audited} audited answers ${disagreements} were not the teacher's: the agreement is below ${request.targetAgreement}`,
      ...{ audited, disagreements },
    };
  const suspected = isSuspected(evidence);
  return suspected === cascade.isSuspected ? null : { type: 'suspect-cascade', suspected, audited, disagreements };
}
