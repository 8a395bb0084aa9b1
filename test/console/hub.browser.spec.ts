import { HubServer } from '#test/hub-server/index.js';
import { startTestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;
const TOKEN = 'hf_writer0123456789';

suite('the hub in the console', () => {
  let hub: HubServer;
  const on = onAPage(async () => {
    hub = await HubServer.start();
    hub.accounts.set(TOKEN, { name: 'ada', mayWrite: true });
    return startTestApi({ hubUrl: hub.url });
  });
  afterAll(() => hub?.close());

  it('imports a dataset, shows it once it has arrived, and shows refusals', async () => {
    const facts = { dataset_name: 'mine', dataset_type: 'classification' };
    await uploadDataset(on.api, facts, JSON.stringify({ text: 'fast and good', label: 'praise' }));
    const { status } = await on.api.call('POST', '/felix/datasets/mine/1/push-to-hub', {
      repo_id: 'ada/set',
      hf_token: TOKEN,
    });
    expect(status).toBe(200);
    on.expectsRefusal();
    await on.page.goto('/console/datasets/new');
    await on.page.getByRole('button', { name: 'Pull from the hub' }).click();
    await on.page.getByLabel('Name of the dataset').fill('pulled');
    await on.page.getByLabel('Dataset on the hub').fill('noowner');
    await on.page.getByLabel('Labelled for').selectOption('classification');
    await on.page.getByLabel('Token (optional)').fill(TOKEN);
    await on.page.getByRole('button', { name: 'Pull', exact: true }).click();
    await on.page.getByRole('alert').getByText('noowner').waitFor();
    await on.page.getByLabel('Dataset on the hub').fill('ada/set');
    await on.page.getByRole('button', { name: 'Pull', exact: true }).click();
    await on.page.getByRole('heading', { name: 'pulled, version 1' }).waitFor();
    await on.page.getByText('Class: praise').waitFor();
  });
});
