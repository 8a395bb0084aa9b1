import { describeDistributed } from '#test/deployments/with-servers.js';
import { outages, type Case } from './outages.suite.js';

/** Connections stay, and nothing is heard on them: only deadlines tell. What each needs is as in `outages.servers.spec.ts`. */
const CASES: readonly Case[] = [
  {
    ...{ server: 'event store', outage: 'paused' },
    down: ['event-store'],
    serves: ['live'],
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
    ...{ server: 'MongoDB', outage: 'paused' },
    down: ['read-store', 'coordination'],
    // Limits are counted there: what a replica has taken of a window is all that it gives out.
    serves: ['live'],
    refuses: ['projects', 'history', 'models', 'preview', 'projects by session', 'prepared process'],
  },
  {
    // A runner without a first word counts as gone after 10 s; that is waited for.
    ...{ server: 'NATS', outage: 'paused' },
    down: ['bus'],
    serves: ['live', 'create project', 'projects', 'history', 'models', 'preview', 'log', 'projects by session'],
    refuses: ['call', 'adapter call'],
  },
  {
    ...{ server: 'S3', outage: 'paused' },
    down: ['object-store'],
    serves: [
      ...(['live', 'create project', 'call', 'adapter call', 'projects', 'history'] as const),
      ...(['models', 'log', 'projects by session'] as const),
    ],
    refuses: ['preview', 'prepared process'],
  },
];

describeDistributed('servers that hang', () => {
  outages({
    name: 'for 25 s each, under load',
    cases: CASES,
    seconds: Number(process.env['ANNEAL_OUTAGE_SECONDS'] ?? 25),
    settings: {},
  });
});
