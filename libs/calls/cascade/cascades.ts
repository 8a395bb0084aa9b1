import type { Application } from '#application/application.js';
import type { BriefCache } from '#application/accounts/brief-cache.js';
import { modelStreamId } from '#application/models.js';
import { canonicalAnswer } from '#distillation/calls/answers.js';
import { canonicalRequest } from '#distillation/calls/canonical.js';
import { auditShareOf } from '#domain/distillation/audit.js';
import { agree } from '#distillation/mapping/agreement.js';
import { writeAnswer } from '#distillation/mapping/write.js';
import { studentText, type LearnedTask } from '#distillation/task.js';
import { cut } from '#distillation/tasks/matcher.js';
import {
  distillationDecider,
  distillationOf,
  type Distillation,
  type DistillationsState,
  type StoredTask,
} from '#domain/distillation/index.js';
import type { CascadePolicy } from '#domain/improvement/index.js';
import type { CallAsRow, CascadeFacts, CascadeReason } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type { Encoders } from '../backends/runner/encoders.js';
import type { GenerationRequest } from '../hosted/port.js';
import type { Model } from '../models.js';
import type { CallRequest } from '../request.js';
import { callAsRow } from './call-as-row.js';
import { readLearnedTask } from './learned-task.js';
import { predictionOf } from './prediction.js';
import { isChosen, isPlain, isWithin } from './request-limits.js';
import type { StudentAnswer } from './student-answer.js';

/** Who answers a call of a distilled version. */
export interface CascadeDecision {
  readonly by: CascadeFacts['by'];
  readonly reason: CascadeReason;
  /** null: the student was not asked, or failed. */
  readonly student: StudentAnswer | null;
  /** Whether the teacher is asked as well, unseen. */
  readonly isAudited: boolean;
  /** What the record of the call says of it. @param output of the teacher, which is compared with the student's answer */
  readonly facts: (by: CascadeFacts['by'], reason: CascadeReason, output?: Json) => CascadeFacts;
  /** The call as a row, with the answer that was given; null for a call that is not to the task. */
  readonly asRow: (output: Json) => CallAsRow | null;
}

const MAX_CACHED_TASKS = 1_000;

/** Decides who answers the calls of distilled versions. */
export class Cascades {
  private readonly states: BriefCache<DistillationsState>;
  private readonly tasks = new Map<string, Promise<LearnedTask | null>>();

  constructor(
    private readonly application: Application,
    private readonly encoders: Encoders,
    private readonly random: () => number = Math.random,
  ) {
    this.states = application.remember((id) => application.load(distillationDecider, id));
  }

  /** @param model a distilled version */
  async decide(call: CallRequest, model: Model, generation: GenerationRequest): Promise<CascadeDecision> {
    const { distillationId, policy } = model.cascade!;
    const distillation = await this.distillation(call, model, distillationId);
    const task = distillation?.task ? await this.task(distillation.task).catch(() => null) : null;
    const other: Told = { facts: factsOf(distillationId, task, null), asRow: () => null };
    if (!distillation || !task) return teacher('student_failed', other);
    const text = isPlain(generation) ? textIn(call, task) : null;
    const told = (student: StudentAnswer | null): Told => ({
      facts: factsOf(distillationId, task, student),
      asRow: (output) =>
        text === null ? null : callAsRow(task, model.named!, text, output, student?.certainty ?? null),
    });
    if (distillation.cascade.state === 'returned' && policy.teacherDown === 'fail')
      return teacher('returned', told(null));
    if (text === null) return teacher('other_prompt', other);
    const student = await this.ask(call, model, task, text);
    if (!student || !isWithin(generation, student.answer)) return teacher('student_failed', told(student));
    if (!isChosen(generation, student.answer)) return teacher('other_prompt', other);
    const reason = reasonOf(distillation, student, policy);
    if (reason !== 'sure') return teacher(reason, told(student), student);
    const share = auditShareOf(distillation.cascade.isSuspected, policy.auditShare);
    return { by: 'student', reason, student, isAudited: this.random() < share, ...told(student) };
  }

  private async distillation(
    { caller }: CallRequest,
    { named }: Model,
    distillationId: string,
  ): Promise<Distillation | null> {
    const id = modelStreamId(caller.workspaceId, named!.name);
    return distillationOf(this.states.fresh(id) ?? (await this.states.load(id)), distillationId);
  }

  /** As `readLearnedTask`. */
  private task({ object: { key, sha256 } }: StoredTask): Promise<LearnedTask | null> {
    const known = this.tasks.get(key);
    if (known) return known;
    const reading = readLearnedTask(this.application.ports.objectStore, { key, sha256 });
    if (this.tasks.size >= MAX_CACHED_TASKS) this.tasks.clear();
    this.tasks.set(key, reading);
    reading.catch(() => this.tasks.delete(key));
    return reading;
  }

  /** null: it cannot answer now. */
  private async ask(call: CallRequest, model: Model, task: LearnedTask, text: string): Promise<StudentAnswer | null> {
    try {
      const { results, schema, inputTokens, servedBy } = await this.encoders.certain(call, model, text);
      const result = results[0]!;
      const prediction = predictionOf(task.mapping, result, schema);
      return {
        answer: writeAnswer(task.mapping, prediction, new Date().toISOString()),
        certainty: result.certainty ?? 0,
        unlike: result.likeness?.unlike ?? null,
        inputTokens: inputTokens[0]!,
        servedBy: servedBy ?? null,
      };
    } catch {
      // Whatever it is, the teacher answers, whose admission refuses whom the student's has refused; the record names the student's failure.
      return null;
    }
  }
}

type Told = Pick<CascadeDecision, 'facts' | 'asRow'>;

const teacher = (reason: CascadeReason, told: Told, student: StudentAnswer | null = null): CascadeDecision => ({
  ...{ by: 'teacher', reason, student, isAudited: false },
  ...told,
});

/** What the student reads of a request; null if that is not to its task. */
function textIn(call: CallRequest, { template }: LearnedTask): string | null {
  const request = canonicalRequest(call.input());
  const asked = request && cut(template, request);
  return asked && studentText(asked);
}

function reasonOf(
  { request, cascade: { state, threshold } }: Distillation,
  { certainty, unlike }: StudentAnswer,
  { targetAgreement }: CascadePolicy,
): CascadeReason {
  if (state !== 'open') return state === 'watching' ? 'watching' : 'returned';
  // The threshold is of another, lower target.
  if (request.targetAgreement < targetAgreement) return 'unsure';
  if (unlike !== null) return 'unlike';
  return certainty >= threshold! ? 'sure' : 'unsure';
}

const factsOf =
  (distillationId: string, task: LearnedTask | null, student: StudentAnswer | null): CascadeDecision['facts'] =>
  (by, reason, output = null) => {
    const answered = by === 'teacher' && student && task ? canonicalAnswer(output) : null;
    return {
      ...{ distillationId, by, reason },
      ...(student && { certainty: student.certainty }),
      ...(student?.unlike && { unlike: student.unlike }),
      ...(answered && { agrees: agree(task!.mapping, student!.answer, answered) }),
    };
  };
