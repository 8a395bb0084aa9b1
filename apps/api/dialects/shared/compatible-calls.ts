import { Inject, Injectable } from '@nestjs/common';
import { Decoders, type AnswerStream, type CallRequest, type Produced } from '#calls/index.js';
import { CascadedCalls } from '#calls/cascade/cascaded-calls.js';
import type { CascadeFacts } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { Dropped, hintsOf } from '#calls/hosted/dropped.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { requireDecoder, requireEncoderText, requireRoom, requireSchema } from '#calls/fit.js';
import { encodeResult } from '#calls/encoder-result.js';
import type { EncoderRequest } from '#calls/encoder-request.js';
import type { Model } from '#calls/models.js';
import { estimateTokens } from '#calls/tokens.js';
import type { Logger } from '#primitives/logging/logger.js';
import { LOGGER } from '../../edge/logging/nest-logger.js';
import { encoderStream, notesOf } from './encoder-stream.js';
import type { FieldNames } from '#calls/field-names.js';
import { ModelCalls, type ModelRequest } from './model-calls.js';
import type { CompatibleRequest } from './request.js';

/** A request of a compatible route, and how its dialect writes it down. */
export interface CompatibleCall extends ModelRequest {
  readonly request: CompatibleRequest;
  /** A decoder's output, as the history shows it. */
  readonly output: (produced: Produced) => Json;
}

type CountTokens = Pick<CompatibleCall, 'caller' | 'request' | 'signal'>;

/** An answer that has begun. */
export interface BegunAnswer {
  readonly run: AnswerStream;
  /** null if nothing was stored. */
  readonly inferenceId: string | null;
  /** The id as the caller wrote it. */
  readonly modelId: string;
  /** `warnings` and `truncated` of an encoder; empty for a decoder. */
  readonly notes: JsonObject;
  /** Who answered for a distilled version; absent from all other answers. */
  readonly cascade?: CascadeFacts;
}

type Begun = Pick<BegunAnswer, 'run' | 'notes' | 'cascade'>;

/** Runs the calls of the compatible routes, for any kind of model. */
@Injectable()
export class CompatibleCalls {
  constructor(
    private readonly calls: ModelCalls,
    private readonly encoders: Encoders,
    private readonly decoders: Decoders,
    private readonly cascaded: CascadedCalls,
    @Inject(LOGGER) readonly logger: Logger,
  ) {}

  /**
   * Begins an answer, and ends it as failed if it cannot be used.
   * @throws DomainError, HttpError before any part of an answer; else what `use` throws
   */
  async run<T>(asked: CompatibleCall, use: (begun: BegunAnswer) => Promise<T>): Promise<T> {
    const { request, output } = asked;
    const { run, ...begun } = await this.calls.run(asked, namesOf(request), (call, model) => {
      const isLabelling = model.entry.task_type === 'encoder' && !model.cascade;
      return isLabelling ? this.encode(call, model, request) : this.generate(call, model, request, output);
    });
    try {
      return await use({
        run,
        ...begun,
        inferenceId: request.store ? run.inferenceId : null,
        modelId: request.modelId,
      });
    } catch (error) {
      await run.leave(error);
      throw error;
    }
  }

  /**
   * Input tokens of a request, by the provider's count or an estimate. Runs, records and charges nothing.
   * @throws DomainError, HttpError as `run` does
   */
  countTokens({ caller, request, signal }: CountTokens): Promise<number> {
    const { generation, modelId } = request;
    return this.calls.withModel(caller, modelId, namesOf(request), async (called) => {
      const model = await this.cascaded.takes({ caller }, called);
      const { entry } = model;
      if (entry.task_type === 'encoder') {
        const bytes = Buffer.byteLength(requireEncoderText(request, model));
        // An encoder reads the text alone, up to its window.
        return Math.min(estimateTokens(bytes), entry.context_window);
      }
      requireDecoder(request, model);
      return this.decoders.countTokens(model, caller, generation, { ...(signal && { signal }) });
    });
  }

  private async encode(call: CallRequest, model: Model, request: CompatibleRequest): Promise<Begun> {
    const { modelId, store, projectId, generation, encoder } = request;
    const text = requireEncoderText(request, model);
    const asked: EncoderRequest = {
      kind: 'encoder',
      ...{ modelId, store, projectId, isWarmup: false, batch: false, explain: false },
      texts: [text],
      ...encoder,
    };
    requireSchema(asked, model);
    const answer = await this.encoders.run(call, model, asked, (text, result, applied) =>
      encodeResult(text, result, applied, asked.schema, asked),
    );
    const dropped = new Dropped(false);
    // Every answer of an encoder is as a seed would make it.
    for (const name of hintsOf(generation)) if (name !== 'seed') dropped.drop(name);
    dropped.dropHints(generation.verbatim?.only ?? []);
    return { run: encoderStream(answer, dropped.names), notes: notesOf(answer) };
  }

  private async generate(
    call: CallRequest,
    model: Model,
    request: CompatibleRequest,
    output: CompatibleCall['output'],
  ): Promise<Begun> {
    const { stream, generation } = request;
    const decoder = await this.cascaded.takes(call, model);
    requireDecoder(request, decoder);
    requireRoom(request, decoder);
    const asked = { ...call, generation, output, stream };
    return { ...(await this.cascaded.start(model, decoder, asked)), notes: {} };
  }
}

/** An encoder reads its text from the prompt or the messages. */
const namesOf = ({ names = {}, generation }: CompatibleRequest): FieldNames => ({
  texts: generation.prompts ? 'prompt' : (names.messages ?? 'messages'),
  ...names,
});
