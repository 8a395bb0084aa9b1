import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn } from 'class-validator';
import { DISABLED_REASONS, WEBHOOK_TYPES, type DisabledReason, type WebhookType } from '#domain/webhook/index.js';
import type { AttemptError } from '#domain/webhook-delivery/index.js';
import {
  BodyFlag,
  bodyField,
  BodyInteger,
  BodyText,
  Printable,
  QueryInteger,
  QueryOneOf,
} from '../../edge/validation/index.js';
import { Closed } from '../../edge/validation/closed.js';

const optional = true;
const TIME = { format: 'date-time' } as const;
const TIME_OR_NULL = { ...TIME, type: String, nullable: true } as const;
const URL_FIELD = {
  max: 2048,
  description: 'An `https` address, without user and password. Put no secret into it: deliveries are signed',
  example: 'https://example.com/hooks',
} as const;
const DESCRIPTION = { optional, max: 200, description: 'Purpose of the webhook' } as const;

const Types = (about: { readonly optional: boolean; readonly description: string }): PropertyDecorator =>
  bodyField(
    {
      ...about,
      ...{ type: 'array', items: { type: 'string', enum: [...WEBHOOK_TYPES] } },
      ...{ minItems: 1, maxItems: WEBHOOK_TYPES.length, uniqueItems: true },
    },
    ArrayUnique({ message: '$property must name each type once' }),
    IsIn(WEBHOOK_TYPES, { each: true, message: `$property must hold only ${WEBHOOK_TYPES.join(', ')}` }),
    ArrayMaxSize(WEBHOOK_TYPES.length),
    ArrayMinSize(1),
    IsArray(),
  );

@Closed()
export class CreateWebhookBody {
  @BodyText(URL_FIELD) url!: string;

  @Types({ optional, description: 'Event types to deliver. Default: every type that exists now' })
  types?: WebhookType[] | null;

  @BodyText(DESCRIPTION, Printable()) description?: string | null;
}

export class ChangeWebhookBody {
  @BodyText({ ...URL_FIELD, optional }) url?: string | null;
  @Types({ optional, description: 'Event types to deliver from now on' }) types?: WebhookType[] | null;
  @BodyText(DESCRIPTION, Printable()) description?: string | null;

  @BodyFlag({ optional, description: 'false: nothing is sent until it is true again. Open deliveries are cancelled' })
  enabled?: boolean | null;
}

export class RotateWebhookBody {
  @BodyInteger({
    ...{ optional, min: 0, max: 168, default: 24 },
    description: 'Hours during which deliveries are also signed with the previous secret; 0 ends it at once',
  })
  overlap_hours?: number | null;
}

export class WebhookRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() url!: string;
  @ApiProperty({ type: [String], enum: WEBHOOK_TYPES }) types!: readonly WebhookType[];
  @ApiProperty({ type: String, nullable: true }) description!: string | null;
  @ApiProperty() enabled!: boolean;
  @ApiProperty({
    ...{ type: String, nullable: true, enum: [...DISABLED_REASONS, null] },
    description: '`failing`: no attempt succeeded for five days; `gone`: it answered 410; `asked`: by a request',
  })
  disabled_reason!: DisabledReason | null;

  @ApiProperty(TIME_OR_NULL) disabled_at!: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'The first failed attempt since the last success' })
  failing_since!: string | null;

  @ApiProperty(TIME_OR_NULL) last_delivered_at!: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Until this time, deliveries are signed with two secrets' })
  previous_secret_until!: string | null;

  @ApiProperty(TIME) created_at!: string;
}

export class NewWebhook extends WebhookRecord {
  @ApiProperty({ description: 'Signing secret of the deliveries. Shown only once', example: 'whsec_...' })
  secret!: string;
}

export class RotatedSecret {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ description: 'The new secret. Shown only once', example: 'whsec_...' }) secret!: string;
  @ApiProperty({ ...TIME, description: 'Until this time, deliveries are also signed with the previous secret' })
  previous_secret_until!: string;
}

export class WebhookDeleted {
  @ApiProperty() success!: boolean;
}

export class ListWebhooksQuery {
  @QueryInteger({ min: 1, max: 100, default: 100 }) limit: number = 100;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class WebhookList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: 'integer', description: 'On this page' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages' }) total!: number;
  @ApiProperty({ type: [WebhookRecord], description: 'Newest first' }) webhooks!: WebhookRecord[];
}

const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
const ERRORS = ['status', 'redirect', 'timeout', 'connection', 'address'];

export class ListDeliveriesQuery {
  @QueryOneOf(DELIVERY_STATUSES) status?: DeliveryStatus;
  @QueryInteger({ min: 1, max: 200, default: 50 }) limit: number = 50;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

class DeliveryAttempt {
  @ApiProperty({ type: 'integer', description: 'From 1' }) attempt!: number;
  @ApiProperty(TIME) at!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'null if there was no answer' })
  status_code!: number | null;

  @ApiProperty({ type: 'integer' }) duration_ms!: number;
  @ApiProperty({
    ...{ type: String, nullable: true, enum: [...ERRORS, null] },
    description:
      'null: delivered. `status`: an answer other than 2xx; `redirect`: one that points elsewhere; `timeout`: none within 20 ' +
      'seconds; `connection`: it could not be reached; `address`: it is not public, or has no TLS',
  })
  error!: AttemptError | null;
}

export class WebhookDeliveryRecord {
  @ApiProperty({ format: 'uuid', description: 'The `webhook-id` of every attempt' }) id!: string;
  @ApiProperty({ enum: [...WEBHOOK_TYPES, 'webhook.test'] }) type!: string;
  @ApiProperty({ ...TIME, description: 'When it happened' }) timestamp!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Ids and states' })
  data!: Readonly<Record<string, unknown>>;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`failed`: every attempt of the schedule failed; `cancelled`: the webhook was disabled before',
  })
  status!: DeliveryStatus;

  @ApiProperty(TIME) created_at!: string;
  @ApiProperty(TIME_OR_NULL) next_attempt_at!: string | null;
  @ApiProperty({ type: [DeliveryAttempt], description: 'Oldest first' }) attempts!: DeliveryAttempt[];
}

export class WebhookDeliveryList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: 'integer', description: 'On this page' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages' }) total!: number;
  @ApiProperty({ type: [WebhookDeliveryRecord], description: 'Newest first' }) deliveries!: WebhookDeliveryRecord[];
}
