import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BATCH_LINE, type BatchLine } from '#calls/batch-lines.js';
import type { BatchEndpoint } from '#domain/batch/index.js';
import { UnavailableError } from '#domain/errors.js';
import type { Bus, CallHandler, Subscription } from '#ports/bus/port.js';
import { DRAIN_MS } from '../edge/close-api.js';
import { InProcessRequests, type InProcessRoute } from '../edge/in-process.js';
import { ChatCompletionsController } from './openai-chat/controller.js';
import { CompletionsController } from './openai-completions/controller.js';
import { EmbeddingsController } from './openai-embeddings/controller.js';
import { ResponsesController } from './openai-responses/controller.js';

const ROUTES: Readonly<Record<BatchEndpoint, Type<InProcessRoute>>> = {
  '/v1/chat/completions': ChatCompletionsController,
  '/v1/responses': ResponsesController,
  '/v1/completions': CompletionsController,
  '/v1/embeddings': EmbeddingsController,
};

/**
 * Answers requests of batches while the API listens, and lets those on their way end when it stops. Each is limited, admitted,
 * priced and recorded like its caller's own request.
 */
export function serveBatchLines(app: NestFastifyApplication, bus: Bus, drainMs = DRAIN_MS): void {
  const fastify = app.getHttpAdapter().getInstance();
  const requests = app.get(InProcessRequests);
  const late = new AbortController();
  let served: Subscription | null = null;
  const answer: CallHandler = async (body, { signal }) => {
    const line = body as unknown as BatchLine;
    return requests.answer(line, app.get(ROUTES[line.endpoint]), signal);
  };
  fastify.addHook('onListen', (done) => {
    served = bus.serve(BATCH_LINE, answer, { cutOff: late.signal });
    done();
  });
  fastify.addHook('preClose', async () => {
    const drained = setTimeout(() => late.abort(new UnavailableError('the server is stopping')), drainMs);
    await served?.stop();
    clearTimeout(drained);
  });
}
