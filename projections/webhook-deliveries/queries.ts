import { Documents, type Page, type PageRequest } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { webhookDeliveries, type WebhookDeliveryDocument } from './projection.js';

export const webhookDeliveryDocuments = new Documents<WebhookDeliveryDocument>(webhookDeliveries);

export interface DeliveriesPage extends PageRequest {
  readonly status?: WebhookDeliveryDocument['status'] | undefined;
}

/** An endpoint's deliveries, newest first. */
export const pageOfDeliveries = (
  store: ReadStoreQueries,
  webhookId: string,
  { status, ...page }: DeliveriesPage,
): Promise<Page<WebhookDeliveryDocument>> =>
  webhookDeliveryDocuments.page(store, {
    where: status === undefined ? { webhookId } : { webhookId, status },
    order: { field: 'createdAt', direction: 'descending' },
    ...page,
  });
