import { randomUUID } from 'node:crypto';
import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { systemContext } from '#log/context.js';
import type { Decoders } from '#calls/index.js';
import { linesOf } from '#rows/formats/index.js';
import { DomainError, UnavailableError } from '#domain/errors.js';
import {
  evaluationDecider,
  hostedStep,
  type CallsUsage,
  type EvaluationCommand,
  type EvaluationRequest,
  type EvaluationState,
  type HostedCalls,
  type StoredAnswers,
} from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import { answerOf, chatOf, MAX_HOSTED_ANSWER_TOKENS, promptOf, type EvaluatedChat } from '#evaluations/chats.js';
import { EvaluationError } from '#evaluations/errors.js';
import { askForAnswers, type AskingTiming, type PaidAnswer } from '#evaluations/hosted-answers.js';
import { judgementIn, judgementPrompt, MAX_JUDGEMENT_TOKENS } from '#evaluations/judge.js';
import type { AnswerLine, VerdictLine } from '#gpu-runner/contract/answers.js';
import { keptAnswersOf } from '#gpu-runner/contract/work.js';
import { underLease } from '#log/leadership/index.js';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import { ObjectNotFoundError, ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { readVerified } from '#ports/object-store/verified.js';
import type { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { removeStored } from '../../../erasure/work/reaper/stored.js';
import { KeptLines } from '#rows/kept-lines.js';

interface HostedEvaluationParts {
  readonly decoders: Pick<Decoders, 'find' | 'run'>;
  /** Calls of all evaluations of this worker, workspaces in turns. */
  readonly slots: FairSlots;
  readonly timing?: AskingTiming;
}

type KeptAnswers = KeptLines<PaidAnswer & JsonObject>;

/** Queued or running. */
type OpenEvaluation = Exclude<EvaluationState, { readonly status: 'none' } | { readonly status: 'deleted' }>;

/** The calls of one step of an evaluation. */
interface Questions {
  readonly calls: HostedCalls;
  readonly modelId: string;
  readonly prompts: readonly EvaluatedChat[];
  readonly maxTokens: number;
}

/** The evaluation was deleted, or another worker has taken it over. */
class UnwantedError extends Error {
  override readonly name = 'UnwantedError';
}

/**
 * Requests the answers of evaluations from hosted models. An attempt is claimed in the evaluation's stream before it
 * begins, as runners do; an attempt of a lost worker is lost, and the next one continues with the stored answers.
 */
export class HostedEvaluationWork {
  private readonly worker = `worker/${randomUUID()}`;

  constructor(
    private readonly application: Application,
    private readonly parts: HostedEvaluationParts,
  ) {}

  /**
   * Advances an evaluation until it is a runner's turn; does nothing while another worker does.
   * @throws if the failure is not the evaluation's fault: retry later
   */
  async advance(evaluationId: string, signal: AbortSignal): Promise<void> {
    const { coordination: leases } = this.application.ports;
    const lease = { leases, name: `evaluation/${evaluationId}`, holder: this.worker };
    await underLease(lease, signal, async (held) => {
      while (await this.step(evaluationId, held));
    });
  }

  /** @returns whether the step was taken and another one may follow */
  private async step(evaluationId: string, signal: AbortSignal): Promise<boolean> {
    let open = await this.open(evaluationId);
    if (open && open.runnerId !== null) {
      const isOwn = open.runnerId === this.worker;
      const reason = isOwn ? "it broke down; the server's log says why" : 'its worker was restarted';
      await this.decide(open, { type: 'lose-evaluation-attempt', reason, cause: isOwn ? 'child' : 'runner' });
      open = await this.open(evaluationId);
    }
    if (open === null || signal.aborted) return false;
    const { objectStore } = this.application.ports;
    await this.decide(open, { type: 'claim-evaluation-attempt', runnerId: this.worker });
    const step = hostedStep(open)!;
    const folder = step === 'answer' ? keptAnswersOf(evaluationId) : `evaluations/${evaluationId}/verdicts/`;
    const kept: KeptAnswers = new KeptLines(objectStore, folder, signal);
    try {
      const questions = step === 'answer' ? await this.answering(open) : await this.judging(open);
      const paid = await this.ask(open, questions, kept, signal);
      const isRecorded = await this.record(open, step, paid);
      // The kept answers belong to the attempt that followed this one.
      if (!isRecorded) throw new UnwantedError();
      await kept.remove();
      return true;
    } catch (error) {
      await this.afterFailure(open, error, signal);
      return false;
    }
  }

  /** @returns whether the attempt still counted */
  private async record(open: OpenEvaluation, step: 'answer' | 'judge', paid: readonly PaidAnswer[]): Promise<boolean> {
    const usage = usageOf(paid);
    if (step === 'answer') {
      const answers = await this.store(open, 'answers', paid.map(answerLine));
      return this.decide(open, { type: 'record-answers', answers, usage });
    }
    const verdicts = await this.store(open, 'verdicts', paid.map(verdictLine));
    return this.decide(open, { type: 'record-verdicts', verdicts, usage });
  }

  private async answering({ request }: OpenEvaluation): Promise<Questions> {
    const prompts = (await this.chats(request)).map((chat) => ({ ...chat, messages: promptOf(chat) }));
    const maxTokens = request.maxAnswerTokens ?? MAX_HOSTED_ANSWER_TOKENS;
    return { calls: request.hosted!, modelId: request.model.id, prompts, maxTokens };
  }

  private async judging({ request, answers }: OpenEvaluation): Promise<Questions> {
    const { modelId, rubric } = request.judge!;
    const chats = await this.chats(request);
    const said: string[] = [];
    const stored = { key: answers!.objectKey, sha256: answers!.sha256 };
    await this.read(stored, 'The stored answers', (line) => {
      const { row, said: text } = line as AnswerLine;
      said[row] = text;
    });
    const prompts = chats.map((chat, row) => ({
      messages: judgementPrompt(rubric, { prompt: promptOf(chat), expected: answerOf(chat), answer: said[row] ?? '' }),
    }));
    return { calls: request.judge!, modelId, prompts, maxTokens: MAX_JUDGEMENT_TOKENS };
  }

  private async ask(
    open: OpenEvaluation,
    { calls, modelId, prompts, maxTokens }: Questions,
    kept: KeptAnswers,
    signal: AbortSignal,
  ): Promise<readonly PaidAnswer[]> {
    const { decoders, slots, timing } = this.parts;
    const { evaluationId, workspaceId, userId, projectId } = open.request;
    const caller: Caller = { ...calls.requestedBy, userId, workspaceId };
    return askForAnswers({
      decoders,
      model: await decoders.find(caller, modelId),
      ...{ caller, evaluationId, projectId, prompts, maxTokens },
      known: await kept.read(),
      maxCostPicodollars: calls.maxCostPicodollars === null ? null : BigInt(calls.maxCostPicodollars),
      spentBefore: BigInt(open.answersUsage?.costPicodollars ?? 0),
      keep: (answer) => kept.keep({ ...answer }),
      inTurn: (call) =>
        slots.run(workspaceId, async () => {
          signal.throwIfAborted();
          const now = await this.open(evaluationId);
          if (now?.runnerId !== this.worker || now.attempt !== open.attempt) throw new UnwantedError();
          return call();
        }),
      signal,
      ...(timing && { timing }),
    });
  }

  private async afterFailure(open: OpenEvaluation, error: unknown, signal: AbortSignal): Promise<void> {
    const { evaluationId } = open.request;
    const lose = (reason: string, cause: 'runner' | 'storage') =>
      this.decide(open, { type: 'lose-evaluation-attempt', reason, cause });
    const isRefusal = error instanceof DomainError && !(error instanceof UnavailableError);
    const isOutage =
      error instanceof UnavailableError || error instanceof ObjectStoreUnavailableError || isOutOfRoom(error);
    if (signal.aborted) await lose('its worker was shut down or cut off', 'runner');
    else if (error instanceof EvaluationError || isRefusal)
      await this.decide(open, { type: 'fail-evaluation', reason: (error as Error).message });
    else if (isOutage) await lose('a store did not answer or is full', 'storage');
    const { status } = await this.application.load(evaluationDecider, evaluationId);
    // The reaper may have finished before the last answer was stored.
    if (status === 'deleted' || status === 'failed')
      return void (await removeStored(this.application.ports, { kind: 'evaluation', id: evaluationId }));
    if (!signal.aborted && !(error instanceof UnwantedError)) throw error;
  }

  /**
   * The rows to evaluate.
   * @throws EvaluationError when they are missing or damaged
   */
  private async chats({ datasets, heldOut, maxExamples }: EvaluationRequest): Promise<readonly EvaluatedChat[]> {
    const chats: EvaluatedChat[] = [];
    for (const { name, versionNumber, object } of datasets)
      await this.read(object, `The stored rows of dataset ${JSON.stringify(name)} version ${versionNumber}`, (row) =>
        chats.push(chatOf(row)),
      );
    if (heldOut) throw new EvaluationError('rows that were held out are not asked of a hosted model');
    return maxExamples === null ? chats : chats.slice(0, maxExamples);
  }

  private async read(
    { key, sha256 }: Pick<DatasetPin['object'], 'key' | 'sha256'>,
    what: string,
    take: (row: JsonObject) => unknown,
  ): Promise<void> {
    const damaged = () => new EvaluationError(`${what} are gone or damaged. Restore the object store from a backup.`);
    const content = await this.application.ports.objectStore.get(key).catch((error: unknown) => {
      throw error instanceof ObjectNotFoundError ? damaged() : error;
    });
    await readVerified(content, sha256, damaged, async (chunks) => {
      for await (const row of rowsOf(chunks)) take(row);
    });
  }

  private async store(
    { request, attempt }: OpenEvaluation,
    name: 'answers' | 'verdicts',
    lines: readonly JsonObject[],
  ): Promise<StoredAnswers> {
    const objectKey = `evaluations/${request.evaluationId}/${attempt}/${name}.jsonl`;
    const content = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { key: _, ...object } = await this.application.ports.objectStore.put(objectKey, content);
    return { objectKey, ...object };
  }

  private async open(evaluationId: string): Promise<OpenEvaluation | null> {
    const state = await this.application.load(evaluationDecider, evaluationId);
    return isOpen(state) && hostedStep(state) !== null ? state : null;
  }

  /** @returns whether the attempt still counted */
  private async decide({ request, attempt }: OpenEvaluation, command: AttemptCommand): Promise<boolean> {
    const { evaluationId, workspaceId } = request;
    const whole = { ...command, evaluationId, attempt } as EvaluationCommand;
    const context = systemContext('hosted-evaluations', workspaceId);
    const { position } = await this.application.execute(evaluationDecider, evaluationId, whole, context);
    return position !== null;
  }
}

type OfAttempt<Command> = Command extends { attempt: number } ? Omit<Command, 'evaluationId' | 'attempt'> : never;
type AttemptCommand = OfAttempt<EvaluationCommand>;

const isOpen = (state: EvaluationState): state is OpenEvaluation =>
  state.status === 'queued' || state.status === 'running';

const answerLine = ({ row, said, refusal }: PaidAnswer): AnswerLine => ({ row, said, refusal });

function verdictLine({ row, said, refusal }: PaidAnswer): VerdictLine {
  if (refusal !== null) return { row, score: null, reason: refusal, problem: 'refused' };
  const judgement = judgementIn(said);
  return judgement ? { row, ...judgement, problem: null } : { row, score: null, reason: null, problem: 'malformed' };
}

function usageOf(answers: readonly PaidAnswer[]): CallsUsage {
  const sum = (of: (answer: PaidAnswer) => number) => answers.reduce((total, answer) => total + of(answer), 0);
  return {
    calls: answers.length,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costPicodollars: answers.reduce((total, answer) => total + BigInt(answer.costPicodollars), 0n).toString(),
  };
}

async function* rowsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject> {
  for await (const line of linesOf(content)) yield JSON.parse(line.toString()) as JsonObject;
}
