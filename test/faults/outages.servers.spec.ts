import { describeDistributed } from '#test/deployments/with-servers.js';
import { outages } from './outages.suite.js';

describeDistributed('servers that are down', () => {
  outages({
    name: 'for 30 s each, under load',
    outage: { 'event store': 'stopped', MongoDB: 'killed', NATS: 'stopped', S3: 'killed' },
    seconds: Number(process.env['ANNEAL_OUTAGE_SECONDS'] ?? 30),
    servedWithoutMongodb: ['create project', 'call', 'adapter call', 'log'],
    // Limits are counted in coordination, so that without it nothing is let through once a replica's share is spent.
    settings: { ANNEAL_RATE_LIMITS: 'off' },
  });
});
