import { randomUUID } from 'node:crypto';
import { connect } from 'nats';
import { openNatsBus } from '#ports/bus/nats/index.js';
import { describeWithServer } from '#test/servers/describe.js';
import { generationContract } from './generation-contract.fixture.js';

describeWithServer('nats', ({ address }) => {
  const prefix = `test-${randomUUID()}`;
  const at = `${address}?prefix=${prefix}`;
  afterAll(async () => {
    const admin = await connect({ servers: address });
    await (await admin.jetstreamManager()).streams.delete(`${prefix}-offers`);
    await admin.close();
  });

  generationContract('NATS', async () => ({ caller: await openNatsBus(at), runner: await openNatsBus(at) }));
});
