export { webhookDecider, type WebhookCommand } from './decider.js';
export * from './events.js';
export * from './state.js';
