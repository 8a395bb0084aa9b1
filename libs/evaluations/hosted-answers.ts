import { worstCase } from '#application/billing/index.js';
import type { Caller } from '#application/caller.js';
import { isPassing, repeated, sizeOf, type Decoders, type Model, type Pause } from '#calls/index.js';
import { LogUnavailableError, UpstreamRejectedError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { allTokens, cost } from '#domain/inference/index.js';
import { chatMessage, type GenerationRequest } from '#calls/hosted/port.js';
import { answerText, type EvaluatedChat } from './chats.js';
import { EvaluationError } from './errors.js';
import { Spending } from './spending.js';

/** The answer of a hosted model to one row, and its cost. */
export interface PaidAnswer {
  /** From 0. */
  readonly row: number;
  /** Empty if the provider refused the row. */
  readonly said: string;
  /** The provider's reason for refusing the row; null for an answer. */
  readonly refusal: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costPicodollars: string;
}

interface Asking {
  readonly decoders: Pick<Decoders, 'run'>;
  readonly model: Model;
  readonly caller: Caller;
  readonly evaluationId: string;
  readonly projectId: string | null;
  /** The prompt of each row. */
  readonly prompts: readonly EvaluatedChat[];
  /** Tokens of an answer. */
  readonly maxTokens: number;
  /** Answers that exist already, by row. */
  readonly known: ReadonlyMap<number, PaidAnswer>;
  readonly maxCostPicodollars: bigint | null;
  /** Costs of the evaluation before these calls, in picodollars. */
  readonly spentBefore: bigint;
  /** Resolves once an answer is stored, so that no later attempt pays for it again. */
  readonly keep: (answer: PaidAnswer) => Promise<void>;
  /** Runs a call in the workspace's turn. */
  readonly inTurn: <T>(call: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
  readonly timing?: AskingTiming;
}

/** Waits of an evaluation's calls; tests shorten them. */
export interface AskingTiming {
  /** Between the tries of a call. */
  readonly pause?: Pause;
  /** Milliseconds that in-flight calls get to complete after a stop: their answers would be paid for again. */
  readonly graceMs?: number;
}

/** Rows of one evaluation that are asked at a time. */
const MAX_AT_ONCE = 8;
/** Refused rows one after another after which the provider is taken to refuse them all: before any row has an answer, and later. */
const MAX_REFUSED_AT_FIRST = 5;
const MAX_REFUSED_IN_A_ROW = 25;
/** Tries of a call once other answers are paid for: with the pauses between them about ten minutes. */
const TRIES_ONCE_PAID = 35;
const GRACE_MS = 3_000;

/**
 * Asks a hosted model for the answers that are not known, greedily. Every call is admitted, recorded and charged like one of the
 * caller's own. A row that the provider refuses, such as one that is too long, has no answer.
 * @returns all answers, in the order of the rows
 * @throws EvaluationError the provider does not answer or refuses row after row, or the costs would exceed their bound
 * @throws LogUnavailableError calls cannot be recorded now: try again, with the answers that were kept
 * @throws BillingError, RegionRestrictedError and others of a call that is not admitted; what `keep` throws; the signal's reason
 */
export async function askForAnswers(asking: Asking): Promise<readonly PaidAnswer[]> {
  const { prompts, known, signal } = asking;
  const answers = new Map(known);
  const spent = known.values().reduce((sum, { costPicodollars }) => sum + BigInt(costPicodollars), asking.spentBefore);
  const spending = new Spending(asking.maxCostPicodollars, spent);
  const failed = new AbortController();
  const [stop, calls] = [
    AbortSignal.any([signal, failed.signal]),
    late(signal, failed.signal, asking.timing?.graceMs ?? GRACE_MS),
  ];
  const rows = prompts.keys().filter((row) => !known.has(row));
  const isAnswered = () => answers.values().some(({ refusal }) => refusal === null);
  let refused = 0;
  const lane = async () => {
    for (const row of rows) {
      stop.throwIfAborted();
      const tries = isAnswered() ? TRIES_ONCE_PAID : undefined;
      const answer = await answerTo(row, asking, spending, { signal: calls.signal, ...(tries && { tries }) });
      await asking.keep(answer);
      answers.set(row, answer);
      refused = answer.refusal === null ? 0 : refused + 1;
      if (refused >= (isAnswered() ? MAX_REFUSED_IN_A_ROW : MAX_REFUSED_AT_FIRST))
        throw refusedAll(asking.model, refused, answer);
    }
  };
  const lanes = Array.from({ length: MAX_AT_ONCE }, () =>
    lane().catch((error: unknown) => {
      // On a stop, in-flight calls still complete.
      if (!signal.aborted) failed.abort(error);
    }),
  );
  await Promise.all(lanes);
  calls.end();
  stop.throwIfAborted();
  const all = [...answers.values()].toSorted((a, b) => a.row - b.row);
  if (all.length > 0 && !isAnswered()) throw refusedAll(asking.model, all.length, all.at(-1)!);
  return all;
}

async function answerTo(
  row: number,
  asking: Asking,
  spending: Spending,
  { signal, tries }: { readonly signal: AbortSignal; readonly tries?: number },
): Promise<PaidAnswer> {
  const { decoders, model, caller, evaluationId, projectId, prompts, inTurn, timing } = asking;
  const { modelId, price, entry } = model;
  const { messages: turns, tools } = prompts[row]!;
  const generation: GenerationRequest = {
    messages: turns.map((turn) => chatMessage(turn)),
    ...(tools && { tools }),
    maxTokens: Math.min(asking.maxTokens, Math.floor(entry.context_window / 2)),
    temperature: 0,
  };
  const most = { input: sizeOf(generation, entry.context_window).most, output: generation.maxTokens! };
  const run = () =>
    inTurn(() =>
      decoders.run(model, {
        ...{ caller, correlationId: evaluationId, generation, projectId },
        input: () => recorded(prompts[row]!),
        ...{ store: true, format: 'native', signal },
      }),
    );
  try {
    const { text, calls, usage } = await spending.run(
      worstCase(price, most),
      () => repeated(run, { signal, ...(tries && { tries }), ...(timing?.pause && { pause: timing.pause }) }),
      (answer) => cost(answer.usage, price),
    );
    return {
      ...{ row, said: answerText(text, calls), refusal: null },
      ...{ inputTokens: allTokens(usage, 'input'), outputTokens: allTokens(usage, 'output') },
      costPicodollars: cost(usage, price).toString(),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LogUnavailableError) throw error;
    if (isPassing(error)) throw new EvaluationError(`${modelId} did not answer row ${row + 1}: ${error.message}`);
    if (!(error instanceof UpstreamRejectedError)) throw error;
    return { row, said: '', refusal: error.message, inputTokens: 0, outputTokens: 0, costPicodollars: '0' };
  }
}

/** A prompt as the history of calls shows it. */
const recorded = ({ messages, tools }: EvaluatedChat): JsonObject => ({
  messages: messages.map(({ role, content, toolCalls = [], toolCallId }) => ({
    ...{ role, content },
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map((call) => ({ ...call })) }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  })),
  ...(tools && { tools: tools.map((tool) => ({ ...tool })) }),
});

const refusedAll = ({ modelId }: Model, rows: number, { refusal }: PaidAnswer): EvaluationError =>
  new EvaluationError(
    `${modelId} refused ${rows} ${rows === 1 ? 'row' : 'rows one after another'}; the last time: ${refusal}`,
  );

/** A signal that aborts some time after the first one, and with the second one at once. */
function late(first: AbortSignal, second: AbortSignal, ms: number): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const abortLater = () => (timer = setTimeout(() => controller.abort(first.reason), ms));
  if (first.aborted) abortLater();
  else first.addEventListener('abort', abortLater, { once: true });
  return {
    signal: AbortSignal.any([controller.signal, second]),
    end() {
      clearTimeout(timer);
      first.removeEventListener('abort', abortLater);
    },
  };
}
