import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import {
  ChangeWebhook,
  CreateWebhook,
  DeleteWebhook,
  ResendDelivery,
  RotateWebhook,
  TestWebhook,
} from '#use-cases/webhooks/commands.js';
import {
  ChangeWebhookBody,
  CreateWebhookBody,
  ListDeliveriesQuery,
  ListWebhooksQuery,
  NewWebhook,
  RotatedSecret,
  RotateWebhookBody,
  WebhookDeleted,
  WebhookDeliveryList,
  WebhookDeliveryRecord,
  WebhookList,
  WebhookRecord,
} from './dto.js';
import { GetWebhook, ListDeliveries, ListWebhooks } from '#use-cases/webhooks/queries.js';
import { deliveryRecord, webhookRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';

@ApiTags('Webhooks')
@ReadingNeeds('history')
@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Adds a webhook that receives events from now on; its signing secret is shown only once',
  })
  @ApiOkResponse({ type: NewWebhook })
  async create(
    @KnownBody() body: CreateWebhookBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NewWebhook> {
    const { webhook, secret } = await this.useCases.execute(new CreateWebhook(caller, identity, body));
    return { ...webhookRecord(webhook), secret };
  }

  @Get()
  @ApiOperation({ summary: 'Lists the webhooks of the workspace, newest first' })
  @ApiOkResponse({ type: WebhookList })
  async list(@KnownQuery() query: ListWebhooksQuery, @CurrentCaller() caller: Caller): Promise<WebhookList> {
    const { documents, total } = await this.useCases.execute(new ListWebhooks(caller, query));
    return { success: true, count: documents.length, total, webhooks: documents.map(webhookRecord) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One webhook with its event types and the state of its deliveries' })
  @ApiOkResponse({ type: WebhookRecord })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookRecord> {
    return webhookRecord(await this.useCases.execute(new GetWebhook(caller, id, asOf)));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Changes a webhook, disables it, or enables it again' })
  @ApiOkResponse({ type: WebhookRecord })
  async change(
    @Param('id') id: string,
    @KnownBody() body: ChangeWebhookBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<WebhookRecord> {
    await this.useCases.execute(new ChangeWebhook(caller, identity, { ...body, id }));
    return this.one(id, null, caller);
  }

  @Delete(':id')
  @Reasoned()
  @ApiOperation({ summary: 'Deletes a webhook; open deliveries are cancelled' })
  @ApiOkResponse({ type: WebhookDeleted })
  async delete(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<WebhookDeleted> {
    await this.useCases.execute(new DeleteWebhook(caller, identity, id));
    return { success: true };
  }

  @Post(':id/rotate')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Creates a new signing secret, shown only once; during the overlap, both secrets sign' })
  @ApiOkResponse({ type: RotatedSecret })
  async rotate(
    @Param('id') id: string,
    @KnownBody() body: RotateWebhookBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<RotatedSecret> {
    const { secret, previousUntil } = await this.useCases.execute(new RotateWebhook(caller, identity, { ...body, id }));
    return { id, secret, previous_secret_until: previousUntil };
  }

  @Post(':id/test')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Sends one `webhook.test`' })
  @ApiOkResponse({ type: WebhookDeliveryRecord })
  async test(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<WebhookDeliveryRecord> {
    return deliveryRecord(await this.useCases.execute(new TestWebhook(caller, identity, id)));
  }

  @Get(':id/deliveries')
  @ApiOperation({ summary: 'Lists the deliveries of a webhook with their attempts, newest first' })
  @ApiOkResponse({ type: WebhookDeliveryList })
  async deliveries(
    @Param('id') id: string,
    @KnownQuery() query: ListDeliveriesQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookDeliveryList> {
    const { documents, total } = await this.useCases.execute(new ListDeliveries(caller, { ...query, id }));
    return { success: true, count: documents.length, total, deliveries: documents.map(deliveryRecord) };
  }

  @Post(':id/deliveries/:delivery_id/resend')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Sends a delivery again immediately, with the same id; its retry schedule starts over' })
  @ApiOkResponse({ type: WebhookDeliveryRecord })
  async resend(
    @Param('id') id: string,
    @Param('delivery_id') deliveryId: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<WebhookDeliveryRecord> {
    return deliveryRecord(await this.useCases.execute(new ResendDelivery(caller, identity, { id, deliveryId })));
  }
}
