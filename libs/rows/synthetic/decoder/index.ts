import { isPassing, repeated, type Decoders, type Model, type Pause } from '#calls/index.js';
import type { Caller } from '#application/caller.js';
import type { RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { textMessage } from '#calls/hosted/port.js';
import { GenerationError, type GenerationContext, type RowBatch, type RowGenerator } from '../port.js';
import { promptFor } from './prompt.js';
import { parsedRows, shapedRow } from './rows.js';

/** Rows requested at once: enough to share the prompt, few enough that a truncated answer loses little. */
const ROWS_A_CALL = 20;
const TOKENS_A_ROW = 220;
const MAX_TOKENS = 8_000;
const MAX_AT_ONCE = 4;
/** Limit on calls, as a multiple of those needed if each row were good. */
const SPARE = 2;
const SPARE_CALLS = 4;
/** Consecutive answers without a valid row after which the model is considered unable. */
const MAX_USELESS = 5;

interface DecoderGeneratorOptions {
  /** Waits between tries; tests replace it. */
  readonly pause?: Pause;
}

/** Asks a decoder for rows. Every call is admitted, recorded and billed like one of the requester's own. */
export function decoderGenerator(
  decoders: Pick<Decoders, 'find' | 'run'>,
  modelId: string,
  options: DecoderGeneratorOptions = {},
): RowGenerator {
  return {
    async check(_request, on) {
      await decoders.find(callerOf(on), modelId);
    },
    async *rows(request, on): AsyncGenerator<RowBatch> {
      const model = await decoders.find(callerOf(on), modelId);
      const asking = new Asking(decoders, model, request, on, options);
      let left = Math.ceil(request.count / ROWS_A_CALL) * SPARE + SPARE_CALLS;
      let useless = 0;
      while (left > 0) {
        const now = Math.min(MAX_AT_ONCE, left, asking.callsNeeded());
        left -= now;
        const answers = await Promise.all(Array.from({ length: now }, () => asking.batch()));
        for (const rows of answers) {
          useless = rows.length === 0 ? useless + 1 : 0;
          yield { rows };
        }
        if (useless >= MAX_USELESS)
          throw new GenerationError(
            `${modelId} answered ${useless} times without one row of the shape that was asked for`,
          );
      }
    },
  };
}

/** The calls of one job. */
class Asking {
  private readonly made: string[] = [];

  constructor(
    private readonly decoders: Pick<Decoders, 'find' | 'run'>,
    private readonly model: Model,
    private readonly request: RowsRequest,
    private readonly on: GenerationContext,
    private readonly options: DecoderGeneratorOptions,
  ) {}

  callsNeeded(): number {
    return Math.max(1, Math.ceil((this.request.count - this.made.length) / ROWS_A_CALL));
  }

  async batch(): Promise<readonly JsonObject[]> {
    const count = Math.min(ROWS_A_CALL, Math.max(1, this.request.count - this.made.length));
    const text = await this.answered(count);
    const rows = parsedRows(text)
      .map((row) => shapedRow(row, this.request))
      .filter((row) => row !== null);
    for (const row of rows) this.made.push(typeof row['text'] === 'string' ? row['text'] : JSON.stringify(row));
    return rows;
  }

  /**
   * Retries with growing pauses while the provider does not answer.
   * @throws GenerationError after some tries; DomainError at once
   */
  private async answered(count: number): Promise<string> {
    const { system, user } = promptFor(this.request, count, this.made);
    const { signal, jobId, projectId } = this.on;
    const room = Math.floor(this.model.entry.context_window / 2);
    const generation = {
      messages: [textMessage('system', system), textMessage('user', user)],
      maxTokens: Math.min(MAX_TOKENS, room, 200 + count * TOKENS_A_ROW),
    };
    const run = () =>
      this.decoders.run(this.model, {
        ...{ caller: callerOf(this.on), correlationId: jobId, generation, projectId },
        input: () => ({
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
        }),
        ...{ store: true, format: 'native', signal },
      });
    try {
      const { text } = await repeated(run, { ...this.options, signal });
      return text;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      throw new GenerationError(`${this.model.modelId} did not answer: ${error.message}`);
    }
  }
}

const callerOf = ({ requestedBy, workspaceId }: GenerationContext): Caller => ({ ...requestedBy, workspaceId });
