import { randomUUID } from 'node:crypto';
import { connect } from 'nats';
import { describeWithServer } from '#test/servers/describe.js';
import { busContract } from '../contract.js';
import { openNatsBus, type OpenNatsBusOptions } from './index.js';

describeWithServer('nats', ({ address }) => {
  const prefixes: string[] = [];
  const freshAddress = (): string => {
    const prefix = `test-${randomUUID()}`;
    prefixes.push(prefix);
    return `${address}?prefix=${prefix}`;
  };
  const open = (options: OpenNatsBusOptions = {}) =>
    openNatsBus(freshAddress(), { firstRetryMs: 1, longestRetryMs: 5, onError: () => undefined, ...options });

  afterAll(async () => {
    const client = await connect({ servers: address });
    const { streams } = await client.jetstreamManager();
    for (const prefix of prefixes) await streams.delete(`${prefix}-offers`);
    await client.close();
  });

  busContract('NATS', () => open());
});
