import { describeDistributed } from '#test/deployments/with-servers.js';
import { outages, type Asked, type Case } from './outages.suite.js';

const NEED_NOTHING: readonly Asked[] = ['live'];

const CASES: readonly Case[] = [
  {
    ...{ server: 'event store', outage: 'stopped' },
    down: ['event-store'],
    // Keys and sessions are checked against the log, and a call that cannot be recorded is not answered.
    serves: NEED_NOTHING,
    refuses: [
      'create project',
      'call',
      'adapter call',
      'projects',
      'history',
      'models',
      'preview',
      'log',
      'projects by session',
      'prepared process',
    ],
  },
  {
    ...{ server: 'MongoDB', outage: 'killed' },
    down: ['read-store', 'coordination'],
    serves: [...NEED_NOTHING, 'create project', 'call', 'adapter call', 'log'],
    refuses: ['projects', 'history', 'models', 'preview', 'projects by session', 'prepared process'],
  },
  {
    ...{ server: 'NATS', outage: 'stopped' },
    down: ['bus'],
    serves: [
      ...NEED_NOTHING,
      'create project',
      'projects',
      'history',
      'models',
      'preview',
      'log',
      'projects by session',
    ],
    refuses: ['call', 'adapter call'],
  },
  {
    ...{ server: 'S3', outage: 'killed' },
    down: ['object-store'],
    serves: [
      ...NEED_NOTHING,
      ...(['create project', 'call', 'adapter call', 'projects', 'history'] as const),
      ...(['models', 'log', 'projects by session'] as const),
    ],
    refuses: ['preview', 'prepared process'],
  },
];

describeDistributed('servers that are down', () => {
  outages({
    name: 'for 30 s each, under load',
    cases: CASES,
    seconds: Number(process.env['ANNEAL_OUTAGE_SECONDS'] ?? 30),
    // Limits are counted in coordination, so that without it nothing is let through once a replica's share is spent.
    settings: { ANNEAL_RATE_LIMITS: 'off' },
  });
});
