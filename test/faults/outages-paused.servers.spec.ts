import { describeDistributed } from '#test/deployments/with-servers.js';
import { outages } from './outages.suite.js';

/** Connections stay, and nothing is heard on them: only deadlines tell. */
describeDistributed('servers that hang', () => {
  outages({
    name: 'for 25 s each, under load',
    // Without a first word, a runner counts as gone after 10 s; the outage of NATS waits for that.
    outage: { 'event store': 'paused', MongoDB: 'paused', NATS: 'paused', S3: 'paused' },
    seconds: Number(process.env['ANNEAL_OUTAGE_SECONDS'] ?? 25),
    settings: {},
  });
});
