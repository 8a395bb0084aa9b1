import { BATCH_LINE, type BatchLine, type BatchLineAnswer } from '#calls/batch-lines.js';
import type { CollectedFeedback, DatasetChoice, Improvement } from '#domain/improvement/index.js';
import type { JsonObject } from '#domain/json.js';
import { callOnce, type Bus } from '#ports/bus/port.js';

/** An error that ends an improvement. Clients see the message. */
export class ImprovementError extends Error {
  override readonly name = 'ImprovementError';
}

const CALL_MS = 10 * 60_000;
/** Statuses after which the same request may succeed. */
const PASSING = [408, 425, 429];

/**
 * Requests of an improvement, answered by API processes as if its requester had sent them: checked, limited and charged
 * alike. Each step has its `Idempotency-Key`, so that a repeat finds its earlier request.
 */
export class RouteCalls {
  constructor(private readonly bus: Bus) {}

  /** @returns the `id` in the answer @throws ImprovementError the request is refused */
  async idOf(
    improvement: Improvement,
    step: string,
    endpoint: string,
    body: JsonObject,
    signal: AbortSignal,
  ): Promise<string> {
    const { id } = await this.call(improvement, step, endpoint, body, signal);
    return id as string;
  }

  /**
   * A new dataset version made of the verdicts on the model's calls.
   * @param since excludes earlier verdicts; null: includes all
   */
  async corrections(
    improvement: Improvement,
    since: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly dataset: DatasetChoice; readonly collected: CollectedFeedback }> {
    const { name } = improvement.request;
    const body = { dataset_name: `${name}-corrections`, model: name, ...(since !== null && { since }) };
    const answer = await this.call(improvement, 'collect', '/felix/datasets/from-feedback', body, signal);
    const leftOut = answer['left_out'] as Readonly<Record<string, number>>;
    return {
      dataset: {
        name: answer['dataset_name'] as string,
        version: Number(answer['version_number']),
        versionId: answer['dataset_id'] as string,
      },
      collected: {
        rows: answer['rows'] as number,
        conflicts: answer['conflict_count'] as number,
        leftOut: {
          unsure: leftOut['unsure']!,
          withoutContent: leftOut['without_content']!,
          otherTasks: leftOut['other_tasks']!,
          duplicates: leftOut['duplicates']!,
        },
      },
    };
  }

  /** @throws ImprovementError the request is refused; any other error is worth another try */
  async call(
    { request, requestedAt }: Improvement,
    step: string,
    endpoint: string,
    body: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { improvementId, workspaceId, requestedBy } = request;
    const line: BatchLine = {
      ...{ endpoint, body, caller: { ...requestedBy, workspaceId }, askedAt: requestedAt },
      requestId: `improvement_${improvementId}_${step}`,
      idempotencyKey: `improvement/${improvementId}/${step}`,
    };
    const answer = (await callOnce(this.bus, BATCH_LINE, line, { deadlineMs: CALL_MS, signal })) as BatchLineAnswer;
    const { status, retryAfterSeconds } = answer;
    const told = answer.body as JsonObject;
    if (status < 300) return told;
    const detail = typeof told?.['detail'] === 'string' ? told['detail'] : `status ${status}`;
    // A step whose process was killed is still at work for the time of its lease.
    if (status >= 500 || PASSING.includes(status) || retryAfterSeconds !== null)
      throw new Error(`${endpoint} is not served now: ${detail}`);
    throw new ImprovementError(`${endpoint} refused the request: ${detail}`);
  }
}
