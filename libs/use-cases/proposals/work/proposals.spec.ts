import type { Application } from '#application/application.js';
import { PROPOSAL_DAYS, proposalDecider } from '#domain/proposal/index.js';
import { systemContext } from '#log/context.js';
import { evolve } from '#log/projector/handlers.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { expiringProposals } from './process-manager.js';

const workspaceId = 'w1';
const MS = PROPOSAL_DAYS * 24 * 60 * 60_000;

describe('a proposal that nobody decides', () => {
  let worker: TestWorker;
  let application: Application;
  beforeAll(async () => {
    worker = await openTestWorker();
    ({ application } = worker);
  });
  afterAll(() => worker.close());

  async function propose(proposalId: string, agoMs: number): Promise<string> {
    const proposer = { kind: 'session', userId: 'ada', teamId: 't1', keyId: null } as const;
    const proposal = { act: 'delete', command: 'delete-project', input: proposalId, about: 'delete it' } as const;
    const how = { actor: 'user:ada', reason: null, ticket: null, proposer };
    const command = { type: 'propose', proposalId, workspaceId, ...proposal, ...how } as const;
    const now = new Date(Date.now() - agoMs).toISOString();
    await application.execute(proposalDecider, proposalId, command, { ...systemContext('test', workspaceId), now });
    return proposalId;
  }
  const statusOf = async (id: string) => (await application.load(proposalDecider, id)).status;
  /** What a leader that starts now has done. */
  async function sweep(): Promise<readonly string[]> {
    const manager = expiringProposals(application);
    let state = manager.initial;
    for await (const event of application.ports.eventStore.readAll({ filter: { categories: ['proposal'] } }))
      state = evolve(manager.on, state, event);
    const pending = manager.pending(state, Date.now());
    for (const command of pending) await manager.execute(command, AbortSignal.timeout(300_000));
    return pending.map((command) => manager.key(command));
  }

  it('expires after its days, once; a declined one and a newer one stay as they are', async () => {
    const [old, declined, young] = [await propose('old', MS), await propose('declined', MS), await propose('new', 0)];
    const by = { proposalId: declined, workspaceId, userId: 'eve', actor: 'user:eve', reason: null };
    const then = new Date(Date.now() - MS + 1_000).toISOString();
    const context = { ...systemContext('test', workspaceId), now: then };
    await application.execute(proposalDecider, declined, { type: 'decline', ...by }, context);
    expect(await sweep()).toEqual([old]);
    expect(await Promise.all([old, declined, young].map(statusOf))).toEqual(['expired', 'declined', 'open']);
    expect(await sweep()).toEqual([]);
  });
});
