import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { webhooks, type WebhookDocument } from './projection.js';

export const webhookDocuments = new Documents<WebhookDocument>(webhooks);

/** A workspace's endpoints, newest first. */
export const pageOfWebhooks = (
  store: ReadStoreQueries,
  workspaceId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<WebhookDocument>> =>
  webhookDocuments.page(store, {
    where: { workspaceId },
    order: { field: 'createdAt', direction: 'descending' },
    ...page,
  });
