import {
  ChangeWebhookHandler,
  CreateWebhookHandler,
  DeleteWebhookHandler,
  ResendDeliveryHandler,
  RotateWebhookHandler,
  TestWebhookHandler,
} from './commands.js';
import { GetWebhookHandler, ListDeliveriesHandler, ListWebhooksHandler } from './queries.js';

export const WEBHOOKS = [
  ChangeWebhookHandler,
  CreateWebhookHandler,
  DeleteWebhookHandler,
  GetWebhookHandler,
  ListDeliveriesHandler,
  ListWebhooksHandler,
  ResendDeliveryHandler,
  RotateWebhookHandler,
  TestWebhookHandler,
];
