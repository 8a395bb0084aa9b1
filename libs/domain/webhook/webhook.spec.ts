import { given } from '#test/support/given.js';
import { secretNumbers, webhookDecider, type WebhookEvent, type WebhookState } from './index.js';

const ids = { webhookId: 'h1', workspaceId: 'w1' };
const settings = { url: 'https://example.com/a', types: ['dataset.ready'], description: null } as const;
const created: WebhookEvent = { type: 'webhook-created.v1', data: { ...ids, ...settings, createdAt: given.now } };
const rotated = (secretNumber: number, previousUntil: string): WebhookEvent => ({
  type: 'webhook-secret-rotated.v1',
  data: { webhookId: 'h1', secretNumber, previousUntil, rotatedAt: given.now },
});
const disabled: WebhookEvent = {
  type: 'webhook-disabled.v1',
  data: { webhookId: 'h1', reason: 'asked', disabledAt: given.now },
};
const enabled: WebhookEvent = { type: 'webhook-enabled.v1', data: { webhookId: 'h1', enabledAt: given.now } };
const deleted: WebhookEvent = { type: 'webhook-deleted.v1', data: { webhookId: 'h1', deletedAt: given.now } };

describe('a webhook', () => {
  it('is created once', () => {
    const create = { type: 'create-webhook', ...ids, ...settings } as const;
    given(webhookDecider, []).when(create).then([created]);
    given(webhookDecider, [created]).when(create).then([]);
  });

  const change = { type: 'change-webhook', ...ids, changes: {}, enabled: null } as const;

  it('changes the named fields, and keeps the rest', () => {
    given(webhookDecider, [created])
      .when({ ...change, changes: { url: 'https://example.com/b' } })
      .then([
        {
          type: 'webhook-changed.v1',
          data: { webhookId: 'h1', ...settings, url: 'https://example.com/b', changedAt: given.now },
        },
      ]);
    given(webhookDecider, [created])
      .when({ ...change, changes: settings, enabled: true })
      .then([]);
  });

  it('is disabled and enabled', () => {
    given(webhookDecider, [created])
      .when({ ...change, enabled: false })
      .then([disabled]);
    given(webhookDecider, [created, disabled])
      .when({ ...change, enabled: true })
      .then([enabled]);
    given(webhookDecider, [created, disabled])
      .when({ type: 'disable-webhook', ...ids, reason: 'failing' })
      .then([]);
  });

  it('gets the next secret, and keeps the previous one for the overlap', () => {
    const rotate = { type: 'rotate-webhook-secret', ...ids, secretNumber: 2, overlapHours: 24 } as const;
    given(webhookDecider, [created])
      .when(rotate)
      .then([rotated(2, '2030-01-03T03:04:05.678Z')]);
    given(webhookDecider, [created, rotated(2, given.now)])
      .when(rotate)
      .then([]);
  });

  it('signs with two secrets until the overlap ends, and never with an older one', () => {
    const until = Date.parse('2030-01-03T00:00:00.000Z');
    const events = [created, rotated(2, '2030-01-09T00:00:00.000Z'), rotated(3, new Date(until).toISOString())];
    const state = events.reduce<WebhookState>((before, event) => webhookDecider.evolve(before, event), {
      status: 'none',
    });
    if (state.status === 'none') throw new Error('none');
    expect([secretNumbers(state, until - 1), secretNumbers(state, until)]).toEqual([[3, 2], [3]]);
  });

  it('that was deleted, or is of another workspace, is not found', () => {
    given(webhookDecider, [created])
      .when({ type: 'delete-webhook', ...ids })
      .then([deleted]);
    given(webhookDecider, [created, deleted]).when(change).thenRefused('not_found');
    for (const command of [change, { type: 'delete-webhook', ...ids } as const])
      given(webhookDecider, [created])
        .when({ ...command, workspaceId: 'w2' })
        .thenRefused('not_found');
  });

  it('is refused too many changes', () => {
    const many = Array.from({ length: 450 }, () => [disabled, enabled]).flat();
    given(webhookDecider, [created, ...many])
      .when({ ...change, enabled: false })
      .thenRefused('conflict');
    given(webhookDecider, [created, ...many])
      .when({ type: 'delete-webhook', ...ids })
      .then([deleted]);
  });
});
