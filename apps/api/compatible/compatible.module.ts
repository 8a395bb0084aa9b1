import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { ChatCompletionsController } from './chat-completions/controller.js';
import { CompatibleCalls } from './core/compatible-calls.js';

/** The routes of the OpenAI and the Anthropic API. */
@Module({
  imports: [InferenceModule],
  controllers: [ChatCompletionsController],
  providers: [CompatibleCalls],
})
export class CompatibleModule {}
