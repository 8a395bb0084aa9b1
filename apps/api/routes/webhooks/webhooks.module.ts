import { Module } from '@nestjs/common';
import {
  ChangeWebhookHandler,
  CreateWebhookHandler,
  DeleteWebhookHandler,
  ResendDeliveryHandler,
  RotateWebhookHandler,
  TestWebhookHandler,
} from './commands.js';
import { GetWebhookHandler, ListDeliveriesHandler, ListWebhooksHandler } from './queries.js';
import { WebhooksController } from './webhooks.controller.js';

/** Webhook endpoints. The worker delivers (`apps/worker/process-managers/webhooks`). */
@Module({
  controllers: [WebhooksController],
  providers: [
    ChangeWebhookHandler,
    CreateWebhookHandler,
    DeleteWebhookHandler,
    GetWebhookHandler,
    ListDeliveriesHandler,
    ListWebhooksHandler,
    ResendDeliveryHandler,
    RotateWebhookHandler,
    TestWebhookHandler,
  ],
})
export class WebhooksModule {}
