import { Module } from '@nestjs/common';
import { AccountBook } from '#application/accounts/index.js';
import { HostedEmbeddingCalls } from '#application/calls/index.js';
import { BillingGate } from '#application/billing/index.js';
import { CallRecorder } from '#application/recording/call-recorder.js';
import { ApiHostedModels } from '../inference/hosted-models.js';
import { InferenceModule } from '../inference/inference.module.js';
import { InferencesModule } from '../inferences/inferences.module.js';
import { ChatCompletionsController } from './chat-completions/controller.js';
import { CompletionsController } from './completions/controller.js';
import { CompatibleCalls } from './core/compatible-calls.js';
import { BuiltInEmbedders } from './embeddings/built-in.js';
import { EmbeddingsController } from './embeddings/controller.js';
import { EmbeddingCalls } from './embeddings/embedding-calls.js';
import { MessagesController } from './messages/controller.js';
import { ResponsesController } from './responses/controller.js';
import { Replay } from './responses/replay.js';
import { StoredResponses } from './responses/stored-responses.js';

const hostedEmbedders = {
  provide: HostedEmbeddingCalls,
  inject: [ApiHostedModels, CallRecorder, BillingGate, AccountBook],
  useFactory: (hosted: ApiHostedModels, recorder: CallRecorder, billing: BillingGate, accounts: AccountBook) =>
    new HostedEmbeddingCalls({ hosted, recorder, billing, accounts }),
};

/** The routes of the OpenAI and the Anthropic API. */
@Module({
  imports: [InferenceModule, InferencesModule],
  controllers: [
    ChatCompletionsController,
    CompletionsController,
    EmbeddingsController,
    MessagesController,
    ResponsesController,
  ],
  providers: [CompatibleCalls, Replay, StoredResponses, EmbeddingCalls, BuiltInEmbedders, hostedEmbedders],
})
export class CompatibleModule {}
