import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { AccountBook } from '#application/accounts/index.js';
import { callerContext, type Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { webhookSecret } from './webhook-secrets.js';
import { ConflictError, NotFoundError, QuotaExceededError } from '#domain/errors.js';
import { limitOf } from '#domain/team/index.js';
import {
  webhookDecider,
  WEBHOOK_TYPES,
  type Webhook,
  type WebhookState,
  type WebhookType,
} from '#domain/webhook/index.js';
import { TEST_TYPE, webhookDeliveryDecider, type WebhookDeliveryState } from '#domain/webhook-delivery/index.js';
import { requestedDelivery, type WebhookDeliveryDocument } from '#projections/webhook-deliveries/projection.js';
import { webhookDeliveryDocuments } from '#projections/webhook-deliveries/queries.js';
import { createdWebhook, type WebhookDocument } from '#projections/webhooks/projection.js';
import { pageOfWebhooks, webhookDocuments } from '#projections/webhooks/queries.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { CallerCommand } from '../commands-and-queries.js';
import { webhookAddress } from './address.js';
import { requireDelivery, requireWebhook } from './queries.js';

const VISIBLE_IN = [webhookDocuments.collection];
const DELIVERY_VISIBLE_IN = [webhookDeliveryDocuments.collection];
const OVERLAP_HOURS = 24;

/** An endpoint to send events to. */
interface WebhookOrder {
  readonly url: string;
  /** null or absent: every type that exists now. */
  readonly types?: readonly WebhookType[] | null;
  readonly description?: string | null;
}

interface WithSecret {
  readonly webhook: WebhookDocument;
  readonly secret: string;
}

export class CreateWebhook extends CallerCommand<WebhookOrder, WithSecret> {}

@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly settings: Settings,
    private readonly accounts: AccountBook,
  ) {}

  /** @throws InvalidError, QuotaExceededError */
  async execute({ caller, identity, input }: CreateWebhook): Promise<WithSecret> {
    const context = callerContext(caller, identity);
    const webhookId = derivedId(context.commandId, 'webhook');
    const known = await this.application.recall(webhookDecider, webhookId, identity);
    if (known) return this.made(known);
    const { workspaceId, teamId } = caller;
    const url = webhookAddress(input.url, this.settings.webhookOrigins);
    const { total } = await pageOfWebhooks(this.application.ports.readStore, workspaceId, { limit: 1, offset: 0 });
    const limit = limitOf(await this.accounts.of(teamId), 'webhooks');
    if (total >= limit)
      throw new QuotaExceededError(
        `this workspace has ${total} webhooks, and may have ${limit}; delete one before you add another`,
      );
    const types = input.types ?? WEBHOOK_TYPES;
    const { description = null } = input;
    const command = { type: 'create-webhook', webhookId, workspaceId, url, types, description } as const;
    const { state } = await this.application.execute(webhookDecider, webhookId, command, context, VISIBLE_IN);
    return this.made(state);
  }

  private made(state: WebhookState): WithSecret {
    if (state.status === 'none') throw new Error('a created webhook has no state');
    const { webhookId, workspaceId, settings, createdAt } = state;
    const webhook = createdWebhook({ webhookId, workspaceId, ...settings, createdAt });
    return { webhook, secret: webhookSecret(this.secret, webhookId, 1) };
  }
}

/** Absent fields stay as they are; so do `url`, `types` and `enabled` that are null. */
interface WebhookChanges extends Partial<Omit<WebhookOrder, 'url'>> {
  readonly id: string;
  readonly url?: string | null;
  readonly enabled?: boolean | null;
}

export class ChangeWebhook extends CallerCommand<WebhookChanges, void> {}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  /** @throws NotFoundError, InvalidError, ConflictError */
  async execute({ caller, identity, input }: ChangeWebhook): Promise<void> {
    const { id: webhookId, url, types, description, enabled } = input;
    await requireWebhook(this.application, caller, webhookId);
    const changes = {
      ...(typeof url === 'string' && { url: webhookAddress(url, this.settings.webhookOrigins) }),
      ...(types && { types }),
      ...(description !== undefined && { description }),
    };
    const { workspaceId } = caller;
    const command = {
      ...({ type: 'change-webhook', webhookId, workspaceId } as const),
      ...{ changes, enabled: enabled ?? null },
    };
    await this.application.execute(webhookDecider, webhookId, command, callerContext(caller, identity), VISIBLE_IN);
  }
}

interface Rotation {
  readonly id: string;
  /** How long deliveries are also signed with the previous secret; null or absent: a day. */
  readonly overlap_hours?: number | null;
}

interface RotatedSecret {
  readonly secret: string;
  /** ISO 8601: deliveries are signed with the previous secret too until then. */
  readonly previousUntil: string;
}

export class RotateWebhook extends CallerCommand<Rotation, RotatedSecret> {}

@CommandHandler(RotateWebhook)
export class RotateWebhookHandler implements ICommandHandler<RotateWebhook> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input }: RotateWebhook): Promise<RotatedSecret> {
    const { id: webhookId, overlap_hours: overlapHours } = input;
    const known = await this.application.recall(webhookDecider, webhookId, identity);
    if (known) return this.rotated(known);
    const before = await this.application.load(webhookDecider, webhookId);
    if (before.status === 'none') throw new NotFoundError('webhook', webhookId);
    const command = {
      ...({ type: 'rotate-webhook-secret', webhookId, workspaceId: caller.workspaceId } as const),
      ...{ secretNumber: before.secretNumber + 1, overlapHours: overlapHours ?? OVERLAP_HOURS },
    };
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(webhookDecider, webhookId, command, context, VISIBLE_IN);
    return this.rotated(state);
  }

  private rotated(state: WebhookState): RotatedSecret {
    if (state.status === 'none' || state.previousUntil === null) throw new Error('a rotated webhook has no such state');
    const { webhookId, secretNumber, previousUntil } = state;
    return { secret: webhookSecret(this.secret, webhookId, secretNumber), previousUntil };
  }
}

export class DeleteWebhook extends CallerCommand<string, void> {}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError */
  async execute({ caller, identity, input: webhookId }: DeleteWebhook): Promise<void> {
    const command = { type: 'delete-webhook', webhookId, workspaceId: caller.workspaceId } as const;
    const context = callerContext(caller, identity);
    const { position } = await this.application.execute(webhookDecider, webhookId, command, context, VISIBLE_IN);
    if (position === null) throw new NotFoundError('webhook', webhookId);
  }
}

export class TestWebhook extends CallerCommand<string, WebhookDeliveryDocument> {}

@CommandHandler(TestWebhook)
export class TestWebhookHandler implements ICommandHandler<TestWebhook> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: id }: TestWebhook): Promise<WebhookDeliveryDocument> {
    const context = callerContext(caller, identity);
    const deliveryId = derivedId(context.commandId, 'webhook-test');
    const known = await this.application.recall(webhookDeliveryDecider, deliveryId, identity);
    if (known) return asRequested(known);
    const { webhookId, workspaceId } = await requireEnabled(this.application, caller, id);
    const message = { type: TEST_TYPE, timestamp: context.now, data: { webhook_id: webhookId } } as const;
    const command = { type: 'request-webhook-delivery', deliveryId, webhookId, workspaceId, message } as const;
    const visibleIn = DELIVERY_VISIBLE_IN;
    const { state } = await this.application.execute(webhookDeliveryDecider, deliveryId, command, context, visibleIn);
    return asRequested(state);
  }
}

export class ResendDelivery extends CallerCommand<
  { readonly id: string; readonly deliveryId: string },
  WebhookDeliveryDocument
> {}

@CommandHandler(ResendDelivery)
export class ResendDeliveryHandler implements ICommandHandler<ResendDelivery> {
  constructor(private readonly application: Application) {}

  /**
   * @returns the delivery before its next attempt
   * @throws NotFoundError, ConflictError
   */
  async execute({ caller, identity, input }: ResendDelivery): Promise<WebhookDeliveryDocument> {
    const webhook = await requireWebhook(this.application, caller, input.id);
    const delivery = await requireDelivery(this.application, webhook, input.deliveryId);
    const { id: deliveryId, webhookId, workspaceId } = delivery;
    const known = await this.application.recall(webhookDeliveryDecider, deliveryId, identity);
    if (!known) {
      await requireEnabled(this.application, caller, webhookId);
      const command = { type: 'resend-webhook-delivery', deliveryId, webhookId, workspaceId } as const;
      const context = callerContext(caller, identity);
      await this.application.execute(webhookDeliveryDecider, deliveryId, command, context, DELIVERY_VISIBLE_IN);
    }
    return requireDelivery(this.application, webhook, deliveryId);
  }
}

/** A webhook that is sent to, from the log itself. @throws NotFoundError, ConflictError */
async function requireEnabled(application: Application, { workspaceId }: Caller, id: string): Promise<Webhook> {
  const webhook = await application.load(webhookDecider, id);
  if (webhook.status === 'none' || webhook.status === 'deleted' || webhook.workspaceId !== workspaceId)
    throw new NotFoundError('webhook', id);
  if (webhook.status === 'disabled') throw new ConflictError(`webhook ${id} is disabled; enable it first`);
  return webhook;
}

function asRequested(state: WebhookDeliveryState): WebhookDeliveryDocument {
  if (state.status === 'none') throw new Error('a delivery was asked for, and is not there');
  return requestedDelivery(state.request);
}
