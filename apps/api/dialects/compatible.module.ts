import { Module } from '@nestjs/common';
import { AccountBook } from '#application/accounts/index.js';
import { HostedEmbeddingCalls } from '#calls/index.js';
import { BillingGate } from '#application/billing/index.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import { ApiHostedModels } from '../inference/hosted-models.js';
import { InferenceModule } from '../inference/inference.module.js';
import { InferencesModule } from '../inferences/inferences.module.js';
import { ChatCompletionsController } from './openai-chat/controller.js';
import { CompletionsController } from './openai-completions/controller.js';
import { CompatibleCalls } from './shared/compatible-calls.js';
import { BuiltInEmbedders } from './openai-embeddings/built-in.js';
import { EmbeddingsController } from './openai-embeddings/controller.js';
import { EmbeddingCalls } from './openai-embeddings/embedding-calls.js';
import { MessagesController } from './anthropic-messages/controller.js';
import { ResponsesController } from './openai-responses/controller.js';
import { Replay } from './openai-responses/replay.js';
import { StoredResponses } from './openai-responses/stored-responses.js';

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
