import { uploadDataset } from '#test/support/datasets.js';
import { hasChromium } from './browser.js';
import { fillSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('operating the system in the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    await fillSystem(on.api);
  });
  const table = (name: string) => on.page.getByRole('region', { name, exact: true });

  it('shows parts with units, read models, runners, the queue, bills and settings', async () => {
    await on.page.goto('/console/operate');
    await table('Parts of the system')
      .getByText(/^\d[\d.]* (GB|TB|PB) of \d[\d.]* (GB|TB|PB) free/)
      .waitFor();
    await on.page.getByText('idle', { exact: true }).waitFor();
    await table('What waits and what runs, of this workspace').getByRole('row', { name: 'trainings 0 0' }).waitFor();
    await table('What waits and what runs, of all workspaces').getByRole('row', { name: 'trainings 0 0' }).waitFor();
    await on.page.getByRole('link', { name: /^Read models/ }).click();
    await table('Read models')
      .getByRole('row', { name: /^training jobs live 100%/i })
      .waitFor();
    await on.page.getByRole('link', { name: /^Bill/ }).click();
    await table('Bill by day (UTC), model and key').getByRole('row').filter({ hasText: 'tickets' }).first().waitFor();
    await on.page.getByRole('link', { name: 'Settings in force' }).click();
    await table('Settings in force').getByText('ANNEAL_BOOTSTRAP_API_KEY').waitFor();
    expect(await on.page.locator('main').innerText()).not.toContain(on.api.key);
    await on.page.getByRole('link', { name: 'People', exact: true }).last().waitFor();
  });
});

suite('the contents page', () => {
  const on = onAPage();

  it("places a hold, which prevents a dataset's erasure, and releases it with a reason", async () => {
    await uploadDataset(on.api, { dataset_name: 'visits' }, JSON.stringify({ text: 'Ada saw Ghent', entities: [] }));
    await on.page.goto('/console/contents');
    await on.page.getByRole('button', { name: 'Place a hold…' }).click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('visits');
    await dialog.getByLabel('Reason').fill('case 4471');
    await dialog.getByRole('button', { name: 'Place the hold' }).click();
    await on.page.getByRole('cell', { name: 'dataset visits' }).waitFor();
    const erase = () => on.api.call('DELETE', '/felix/datasets/visits/1?erase=true');
    expect((await erase()).status).toBe(409);
    await on.page.getByRole('button', { name: 'Release the hold: case 4471' }).click();
    await dialog.getByLabel('Reason').fill('settled');
    await dialog.getByRole('button', { name: 'Release the hold' }).click();
    await on.page.getByText('No hold is open').waitFor();
    expect((await erase()).status).toBe(200);
  });

  it('lists who has read what, by resource', async () => {
    await on.api.call('GET', '/inferences?limit=1');
    await on.api.until(
      async () => (await on.api.call('GET', '/audit/reads?resource=calls')).body.reads as readonly object[],
      (reads) => reads.length > 0,
    );
    await on.page.goto('/console/contents?resource=calls');
    await on.page.getByRole('row').filter({ hasText: 'GET /inferences' }).first().waitFor();
    await on.page.getByRole('button', { name: 'Filters', exact: true }).click();
    await on.page.getByLabel('What was read').fill('dataset/none/1');
    await on.page.getByRole('button', { name: 'Show', exact: true }).click();
    await on.page.getByText('No read like this is recorded').waitFor();
  });
});
