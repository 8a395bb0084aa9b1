import { Inject, Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { Decoders, sizeOf, type AnswerStream, type CallRequest, type Produced } from '#calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { Dropped, hintsOf } from '#hosted-models/dropped.js';
import { textMessage } from '#hosted-models/port.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { requireDecoder, requireEncoderText, requireRoom, requireSchema } from '#calls/fit.js';
import { encodeResult } from '../native/encode.js';
import type { EncoderRequest } from '#calls/encoder-request.js';
import { Models, type Model } from '#calls/models.js';
import type { Logger } from '#logging/logger.js';
import { LOGGER } from '../../logging/nest-logger.js';
import { requireProject } from '../../projects/require-project.js';
import { encoderStream, notesOf } from './encoder-stream.js';
import { namingFields } from './field-names.js';
import type { CompatibleRequest } from './request.js';

/** A request of a compatible route, and how its dialect writes it down. */
export interface CompatibleCall extends Omit<CallRequest, 'start' | 'store' | 'projectId'> {
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
}

type Begun = Pick<BegunAnswer, 'run' | 'notes'>;

/** Runs the calls of the compatible routes, for any kind of model. */
@Injectable()
export class CompatibleCalls {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly encoders: Encoders,
    private readonly decoders: Decoders,
    @Inject(LOGGER) readonly logger: Logger,
  ) {}

  /** @throws DomainError, HttpError before anything of an answer is there */
  start(call: CompatibleCall): Promise<BegunAnswer> {
    return namingFields(namesOf(call.request), () => this.started(call));
  }

  private async started(call: CompatibleCall): Promise<BegunAnswer> {
    const start = performance.now();
    const { caller, request } = call;
    const model = await this.models.resolve(caller, request.modelId);
    if (request.projectId !== null) await requireProject(this.application, caller.workspaceId, request.projectId);
    const begun =
      model.entry.task_type === 'encoder'
        ? await this.encode(call, model, start)
        : await this.generate(call, model, start);
    return { ...begun, inferenceId: request.store ? begun.run.inferenceId : null, modelId: request.modelId };
  }

  /**
   * Input tokens of a request, by the provider's count or an estimate. Runs, records and charges nothing.
   * @throws DomainError, HttpError as `start` does
   */
  countTokens(call: CountTokens): Promise<number> {
    return namingFields(namesOf(call.request), () => this.counted(call));
  }

  private async counted({ caller, request, signal }: CountTokens): Promise<number> {
    const { generation, modelId } = request;
    const model = await this.models.resolve(caller, modelId);
    const { entry } = model;
    if (entry.task_type === 'encoder') {
      const read = textMessage('user', requireEncoderText(request, model));
      return sizeOf({ messages: [read] }, entry.context_window).about;
    }
    requireDecoder(request, model);
    return this.decoders.countTokens(model, caller, generation, { ...(signal && { signal }) });
  }

  private async encode(call: CompatibleCall, model: Model, start: number): Promise<Begun> {
    const { caller, correlationId, request, format, input, signal } = call;
    const { store, projectId } = request;
    const text = requireEncoderText(request, model);
    const asked: EncoderRequest = {
      kind: 'encoder',
      ...{
        modelId: request.modelId,
        store,
        projectId,
        isWarmup: false,
        batch: false,
        explain: false,
      },
      texts: [text],
      ...request.encoder,
    };
    requireSchema(asked, model);
    const answer = await this.encoders.run(
      { caller, correlationId, format, store, projectId, input, start, signal },
      model,
      asked,
      (text, result, applied) => encodeResult(text, result, applied, asked.schema, asked),
    );
    const { generation } = request;
    const dropped = new Dropped(false);
    // Every answer of an encoder is as a seed would make it.
    for (const name of hintsOf(generation)) if (name !== 'seed') dropped.drop(name);
    dropped.dropHints(generation.verbatim?.only ?? []);
    return { run: encoderStream(answer, dropped.names), notes: notesOf(answer) };
  }

  private async generate(call: CompatibleCall, model: Model, start: number): Promise<Begun> {
    const { caller, correlationId, request, format, input, output, signal } = call;
    requireDecoder(request, model);
    requireRoom(request, model);
    const { store, projectId, stream, generation } = request;
    const run = await this.decoders.start(model, {
      ...{ caller, correlationId, format, store, projectId, input, start, signal },
      ...{ generation, output, stream },
    });
    return { run, notes: {} };
  }
}

/** An encoder reads its text from the prompt or the messages. */
const namesOf = ({ names = {}, generation }: CompatibleRequest) => ({
  texts: generation.prompts ? 'prompt' : (names.messages ?? 'messages'),
  ...names,
});
