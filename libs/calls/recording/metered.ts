import { cost, tokenCounts, type CallMetered, type CallOpened, type CascadeFacts } from '#domain/inference/index.js';
import type { ServedBy } from '#domain/inference/index.js';
import { NO_USAGE, type TokenUsage } from '../hosted/port.js';

/** The facts known before a call runs, which `call-opened` and `call-metered` share. */
export type CallFacts = Omit<
  CallOpened['data'],
  'workspaceId' | 'writer' | 'store' | 'estimatedInputTokens' | 'reservedPicodollars' | 'chargedTo'
>;

/** The facts known at the end of a call. */
interface CallEnd {
  /** null: it was answered. */
  readonly errorType: CallMetered['data']['errorType'];
  readonly usage: TokenUsage;
  /** Milliseconds. */
  readonly latencyMs: number;
  /** Milliseconds until the first piece of the answer; null if it was not streamed, or never came. */
  readonly ttftMs: number | null;
  /** Hints of the request that the model was not given. */
  readonly dropped?: readonly string[];
  /** The engine that answered, if one here did. */
  readonly servedBy?: ServedBy | null | undefined;
  /** Of a call of a distilled version. */
  readonly cascade?: CascadeFacts | undefined;
}

/**
 * The data of `call-metered`, except the recorder's own fields. Field by field, except the counts: objects built by spreads cost
 * several times as much, and every call makes one.
 * @param chargedTo from its reservation
 */
export function meteredOf(facts: CallFacts, chargedTo: string | null, end: CallEnd) {
  const { errorType, usage, latencyMs, ttftMs, dropped = [], servedBy, cascade } = end;
  return {
    inferenceId: facts.inferenceId,
    teamId: facts.teamId,
    userId: facts.userId,
    keyId: facts.keyId,
    modelId: facts.modelId,
    baseModel: facts.baseModel,
    trainingJobId: facts.trainingJobId,
    projectId: facts.projectId,
    task: facts.task,
    source: facts.source,
    format: facts.format,
    status: errorType === null ? ('success' as const) : ('failed' as const),
    errorType,
    latencyMs,
    ttftMs,
    ...tokenCounts(usage),
    price: facts.price,
    costPicodollars: cost(usage, facts.price).toString(),
    at: facts.at,
    ...(usage.thinkingTokens !== undefined && { thinkingTokens: usage.thinkingTokens }),
    ...(chargedTo !== null && { chargedTo }),
    ...(servedBy && { engine: servedBy.engine }),
    ...(servedBy?.weightsSha256 && { weightsSha256: servedBy.weightsSha256 }),
    ...(dropped.length > 0 && { dropped }),
    ...(facts.modelName !== undefined && { modelName: facts.modelName, modelVersion: facts.modelVersion! }),
    ...(facts.shadowOf !== undefined && { shadowOf: facts.shadowOf }),
    ...(cascade && { cascade }),
  };
}

/** The billed usage of a call whose end its writer could not record: the estimated input. */
export const interruptedUsage = (estimatedInputTokens: number): TokenUsage => ({
  ...NO_USAGE,
  inputTokens: estimatedInputTokens,
});
