import { uploadDataset } from '#test/support/datasets.js';
import { trips } from '#test/support/trips.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('training in the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    await uploadDataset(on.api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(80));
  });

  const part = (name: string) =>
    on.page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name, exact: true });

  /** The newest first. */
  const jobs = async () =>
    (await on.api.call('GET', '/felix/training-jobs')).body.training_jobs as readonly { readonly id: string }[];

  it('says before the first job that its time is unknown, and shows the job live until it is complete', async () => {
    await on.page.goto('/console/training/new');
    await on.page.getByText('How long it takes is not known').waitFor();
    await on.page.getByLabel('Epochs (optional)').fill('3');
    const events = on.page.waitForRequest((request) => request.url().endsWith('/events'));
    await on.page.getByRole('button', { name: 'Train', exact: true }).click();
    expect((await events).resourceType()).toBe('eventsource');
    await on.page
      .getByText(/^(deployed|complete)$/)
      .first()
      .waitFor();
    await on.page.getByRole('img', { name: /^After \d+ steps: training loss/ }).waitFor();
    await part('Mistakes').click();
    await on.page.getByRole('heading', { name: 'Rows that it gets wrong' }).waitFor();
    await part('Settings').click();
    await on.page.getByText('LoRA rank', { exact: true }).waitFor();
    await part('Log').click();
    await on.page.getByLabel('Lines of the log, oldest first').waitFor();
  });

  it('continues from a checkpoint, with an estimate from the first job, and settings that were folded away', async () => {
    await on.page.goto(`/console/training/${(await jobs())[0]!.id}?tab=files`);
    await on.page
      .getByRole('link', { name: /^Resume from here/ })
      .first()
      .click();
    await on.page.getByRole('heading', { name: 'Go on from a checkpoint' }).waitFor();
    await on.page.getByText('as one past job on this base model took').waitFor();
    await on.page.getByText('Learning rate, LoRA and other settings').click();
    await on.page.getByLabel('Seed').fill('7');
    await on.page.getByLabel('Epochs (optional)').fill('1');
    await on.page.getByRole('button', { name: 'Train', exact: true }).click();
    await on.page.getByText('of 1', { exact: false }).waitFor();
    await on.page
      .getByText(/^(deployed|complete)$/)
      .first()
      .waitFor();
    expect((await jobs())[0]).toMatchObject({ seed: 7, start_checkpoint_id: expect.any(String) });
  });

  it('compares two jobs, and says why some cannot be compared', async () => {
    // The API refuses to compare them, with the reason that is shown.
    on.expectsRefusal();
    const [newest, first] = await jobs();
    // Without jobs in the address, the page compares the two newest.
    await on.page.goto('/console/training/compare');
    const chosen = (label: string) => on.page.getByLabel(label, { exact: true }).inputValue();
    await on.page.getByRole('cell', { name: 'Seed' }).waitFor();
    expect([await chosen('One'), await chosen('The other')]).toEqual([newest!.id, first!.id]);
    await on.page.goto(`/console/training/compare?job=${newest!.id}&with=${first!.id}`);
    await on.page.getByRole('cell', { name: 'Seed' }).waitFor();
    expect(await on.page.getByRole('row', { name: /^Seed/ }).innerText()).toMatch(/7\s+3407/);
    await on.page.getByText(/^\d+ settings of both are the same$/).waitFor();
    // Another seed held out other rows.
    await on.page.getByRole('alert').getByText('on other rows').waitFor();
  });

  it('draws chosen runs in one chart, which the address keeps, and leads two of them to their comparison', async () => {
    // That of these two is refused, since they hold out other rows.
    on.expectsRefusal();
    const [newest, first] = await jobs();
    await on.page.goto('/console/training');
    for (const { id } of [newest!, first!])
      await on.page.getByRole('checkbox', { name: new RegExp(`^Choose .*${id.slice(0, 8)}$`) }).check();
    await on.page.getByRole('img', { name: /^F1 by step; at last trips .*%, trips .*%$/ }).waitFor();
    await on.page.reload();
    await on.page.getByLabel('Over', { exact: true }).selectOption('rows');
    await on.page.getByRole('img', { name: /^F1 by rows seen/ }).waitFor();
    await on.page.getByLabel('Figure', { exact: true }).selectOption('Recall');
    await on.page.getByLabel('By', { exact: true }).selectOption('rows');
    await on.page.getByRole('img', { name: /^Recall by rows learned: trips/ }).waitFor();
    await on.page.getByRole('region', { name: 'Figures of the runs' }).locator('canvas').waitFor();
    await on.page.getByRole('link', { name: 'Compare' }).click();
    await on.page.getByRole('cell', { name: 'Seed' }).waitFor();
  });

  it('deploys a job under a name that programs call, and says what it does there', async () => {
    const [newest] = await jobs();
    await on.page.goto(`/console/training/${newest!.id}`);
    await on.page.getByRole('button', { name: 'Deploy', exact: true }).click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Name that programs call').fill('journeys');
    await dialog.getByLabel('Reason').fill('the first one');
    await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
    await on.page.getByRole('heading', { name: 'journeys', level: 1 }).waitFor();
    const named = async () => (await on.api.call('GET', '/models/journeys')).body;
    expect(await named()).toMatchObject({ version: 1, versions: [{ training_job_id: newest!.id }] });
    // Again, as a shadow of another one: its version is there already.
    const first = (await jobs()).at(-1)!;
    await on.page.goto(`/console/training/${first.id}`);
    await on.page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog.getByLabel('Name that programs call').fill('journeys');
    await dialog.getByLabel('There, the model').selectOption('shadow');
    await dialog.getByLabel('Reason').fill('to be compared');
    await dialog.getByRole('button', { name: 'Deploy', exact: true }).click();
    await on.page.getByRole('heading', { name: 'journeys', level: 1 }).waitFor();
    expect(await named()).toMatchObject({ version: 1, shadow_version: 2, versions: [{ version: 2 }, { version: 1 }] });
  });

  it('cross-validates a job: all its rows, by models that did not see them', async () => {
    const first = (await jobs()).at(-1)!;
    await on.page.goto(`/console/training/${first.id}?tab=mistakes`);
    await on.page.getByRole('button', { name: 'Cross-validate' }).click();
    await on.page.getByText(/^F1 .* on all 80 rows, in 10 parts\.$/).waitFor();
    await on.page.getByRole('heading', { name: 'Rows with a wrong answer, or a wrong label' }).waitFor();
  });

  it('downloads the weights', async () => {
    const [newest] = await jobs();
    await on.page.goto(`/console/training/${newest!.id}?tab=files`);
    const saved = on.page.waitForEvent('download');
    await on.page.getByRole('button', { name: 'Download the weights' }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.tar\.gz$/);
  });
});
