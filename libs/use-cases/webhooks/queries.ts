import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import type { WebhookDeliveryDocument } from '#projections/webhook-deliveries/projection.js';
import {
  pageOfDeliveries,
  webhookDeliveryDocuments,
  type DeliveriesPage,
} from '#projections/webhook-deliveries/queries.js';
import { streamName } from '#domain/streams.js';
import { webhooks, type WebhookDocument } from '#projections/webhooks/projection.js';
import { pageOfWebhooks, webhookDocuments } from '#projections/webhooks/queries.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../commands-and-queries.js';

/** @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireWebhook({ ports }: Application, caller: Caller, id: string): Promise<WebhookDocument> {
  const webhook = await webhookDocuments.get(ports.readStore, id);
  if (webhook?.workspaceId !== caller.workspaceId) throw new NotFoundError('webhook', id);
  return webhook;
}

/** @throws NotFoundError */
export async function requireDelivery(
  { ports }: Application,
  webhook: WebhookDocument,
  id: string,
): Promise<WebhookDeliveryDocument> {
  const delivery = await webhookDeliveryDocuments.get(ports.readStore, id);
  if (delivery?.webhookId !== webhook.id) throw new NotFoundError('delivery', id);
  return delivery;
}

/** Newest first. */
export class ListWebhooks extends CallerQuery<PageRequest, Page<WebhookDocument>> {}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(private readonly application: Application) {}

  execute({ caller, input: { limit, offset } }: ListWebhooks): Promise<Page<WebhookDocument>> {
    return pageOfWebhooks(this.application.ports.readStore, caller.workspaceId, { limit, offset });
  }
}

export class GetWebhook extends ResourceQuery<string, WebhookDocument> {}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError */
  execute({ caller, input: id, asOf }: GetWebhook): Promise<WebhookDocument> {
    if (!asOf) return requireWebhook(this.application, caller, id);
    return documentAsOf(this.application, caller, asOf, {
      ...{ what: 'webhook', projection: webhooks, stream: streamName('webhook', id), id },
      // Each delivery has its own stream.
      leftOut: () => ['failing_since', 'last_delivered_at'],
    });
  }
}

/** Newest first. */
export class ListDeliveries extends CallerQuery<
  DeliveriesPage & { readonly id: string },
  Page<WebhookDeliveryDocument>
> {}

@QueryHandler(ListDeliveries)
export class ListDeliveriesHandler implements IQueryHandler<ListDeliveries> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError */
  async execute({ caller, input: { id, ...page } }: ListDeliveries): Promise<Page<WebhookDeliveryDocument>> {
    const webhook = await requireWebhook(this.application, caller, id);
    return pageOfDeliveries(this.application.ports.readStore, webhook.id, page);
  }
}
