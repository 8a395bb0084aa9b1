import { hasChromium } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('a dialog that deletes', () => {
  const on = onAPage();
  let filled: FilledSystem;
  beforeAll(async () => {
    filled = await fillSystem(on.api);
    await on.api.call('POST', '/models', { name: 'spare' });
    await on.api.drained();
  });

  const dialog = () => on.page.getByRole('dialog');
  const open = async (path: string, button = 'Delete'): Promise<void> => {
    await on.page.goto(`/console/${path}`);
    await on.page.getByRole('button', { name: button, exact: true }).first().click();
    await dialog().waitFor();
  };

  it('of a version names its rows and the models that learned from it, keeps the reason, and leads to the list', async () => {
    await open('datasets/tickets/2');
    await dialog().getByText('Its 260 rows can no longer be read').waitFor();
    await dialog().getByText('Models that learned from it stay and go on answering: tickets').waitFor();
    await dialog().getByLabel('Reason (optional)').fill('a copy');
    await dialog().getByRole('button', { name: 'Delete tickets/2' }).click();
    await on.page.getByRole('status').getByText('Deleted tickets/2.').waitFor();
    await on.page.getByRole('button', { name: 'Restore tickets/2' }).waitFor();
    const { body: log } = await on.api.call('GET', '/events/log?type=dataset-version-deleted.v1');
    expect(JSON.stringify(log)).toContain('a copy');
    await on.page.getByRole('button', { name: 'Restore tickets/2' }).click();
    await on.page.getByRole('button', { name: 'Restore tickets/2' }).waitFor({ state: 'detached' });
  });

  it('of a dataset counts its versions and rows', async () => {
    await on.page.goto('/console/datasets/tickets/1?tab=versions');
    await on.page.getByRole('button', { name: 'Delete', exact: true }).nth(1).click();
    await dialog().getByText('2 versions with 460 rows together').waitFor();
    await dialog().getByRole('button', { name: 'Keep it' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect((await on.api.call('GET', '/felix/datasets/tickets/1')).status).toBe(200);
  });

  it('of a job names the versions that are made of it, and keeps it on request', async () => {
    await open(`training/${filled.jobId}`);
    await dialog().getByText('These versions are made of it: tickets version 1, in use.').waitFor();
    await dialog().getByRole('button', { name: 'Keep it' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect((await on.api.call('GET', `/felix/training-jobs/${filled.jobId}`)).status).toBe(200);
  });

  it('of a name says what programs get, and what stays', async () => {
    await open('models/tickets');
    await dialog().getByText('Programs that call tickets get errors at once.').waitFor();
    await dialog().getByText('The models behind the versions stay').waitFor();
    await open('models/spare');
    await dialog().getByText('No version is in use').waitFor();
    await dialog().getByRole('button', { name: 'Delete spare' }).click();
    await on.page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    await on.page.getByRole('link', { name: 'spare', exact: true }).waitFor({ state: 'detached' });
  });
});
