import { Module } from '@nestjs/common';
import { MessagesController } from './anthropic-messages/controller.js';
import { Gliner2Controller } from './gliner2/controller.js';
import { Gliner2Service } from './gliner2/service.js';
import { InferenceController } from './native/controller.js';
import { InferenceService } from './native/service.js';
import { ChatCompletionsController } from './openai-chat/controller.js';
import { CompletionsController } from './openai-completions/controller.js';
import { EmbeddingsController } from './openai-embeddings/controller.js';
import { EmbeddingsService } from './openai-embeddings/service.js';
import { ResponsesController } from './openai-responses/controller.js';
import { Replay } from './openai-responses/replay.js';
import { StoredResponses } from './openai-responses/stored-responses.js';
import { CompatibleCalls } from './shared/compatible-calls.js';
import { ModelCalls } from './shared/model-calls.js';

/** Every route that runs a model, each in the dialect of its clients. */
@Module({
  controllers: [
    ChatCompletionsController,
    CompletionsController,
    EmbeddingsController,
    MessagesController,
    ResponsesController,
    InferenceController,
    Gliner2Controller,
  ],
  providers: [
    ModelCalls,
    CompatibleCalls,
    Replay,
    StoredResponses,
    EmbeddingsService,
    InferenceService,
    Gliner2Service,
  ],
})
export class DialectsModule {}
