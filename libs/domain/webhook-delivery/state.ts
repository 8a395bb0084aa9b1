import type { DeliveryOutcome, WebhookDeliveryEvent } from './events.js';

export type WebhookDeliveryState = { readonly status: 'none' } | WebhookDelivery;

type Requested = Extract<WebhookDeliveryEvent, { type: 'webhook-delivery-requested.v1' }>['data'];

export interface WebhookDelivery {
  readonly status: 'open' | 'ended';
  readonly request: Requested;
  /** Number of attempts made. */
  readonly attempts: number;
  /** Attempts since the delivery was last begun, by the request or a resend. */
  readonly attemptsSinceBegun: number;
  readonly resends: number;
  /** null while it is open. */
  readonly outcome: DeliveryOutcome | null;
}

export function evolve(state: WebhookDeliveryState, event: WebhookDeliveryEvent): WebhookDeliveryState {
  if (event.type === 'webhook-delivery-requested.v1')
    return { status: 'open', request: event.data, attempts: 0, attemptsSinceBegun: 0, resends: 0, outcome: null };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'webhook-delivery-attempted.v1':
      return { ...state, attempts: event.data.attempt, attemptsSinceBegun: state.attemptsSinceBegun + 1 };
    case 'webhook-delivery-resent.v1':
      return { ...state, status: 'open', attemptsSinceBegun: 0, resends: state.resends + 1, outcome: null };
    case 'webhook-delivery-ended.v1':
      return { ...state, status: 'ended', outcome: event.data.outcome };
  }
}
