import type { Account } from '../accounts/index.js';
import type { Application } from '../application.js';
import { BillingGate } from './gate.js';

const account = {
  teamId: 't1',
  region: 'DE',
  blocked: null,
  enforcement: { enforced: false, cardRequired: false },
} as unknown as Account;
const entry = { id: 'acme/chat', provider: null, blocked_regions: ['KP'] };

describe('the billing gate', () => {
  const admit = async (more: Partial<Account>) => {
    const gate = new BillingGate({ ports: {} } as Application, { of: () => ({ ...account, ...more }) });
    return gate.admit({ caller: account, entry, worstCase: 1n });
  };

  it('admits calls while credits are not enforced', async () => {
    expect(await admit({})).toMatchObject({ chargedTo: null });
  });

  it('refuses calls in a region where the model is blocked', async () => {
    await expect(admit({ region: 'KP' })).rejects.toMatchObject({ code: 'region_restricted' });
  });

  it('refuses calls of work that began before the team was blocked', async () => {
    await expect(admit({ blocked: 'billing' })).rejects.toMatchObject({ code: 'forbidden' });
  });
});
