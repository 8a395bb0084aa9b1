import type { Browser, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { trips } from '#test/support/trips.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

suite('training in the console', () => {
  let api: TestApi;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi();
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(80));
    browser = await startBrowser();
    const context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it('says before the first job that nothing is known of its time, and shows the job live until it is complete', async () => {
    await page.goto('/console/training');
    await page.getByText('How long it takes is not known').waitFor();
    await page.getByLabel('Epochs (optional)').fill('3');
    const events = page.waitForRequest((request) => request.url().endsWith('/events'));
    await page.getByRole('button', { name: 'Train' }).click();
    expect((await events).resourceType()).toBe('eventsource');
    await page
      .getByRole('heading', { name: 'deployed' })
      .or(page.getByRole('heading', { name: 'complete' }))
      .waitFor();
    await page.getByRole('img', { name: /^After \d+ steps: training loss/ }).waitFor();
    await page.getByRole('heading', { name: 'Rows that it gets wrong' }).waitFor();
    await page.getByLabel('Lines of the log, oldest first').waitFor();
  });

  it('goes on from a checkpoint, with an estimate by the first job, and settings that were folded away', async () => {
    await page
      .getByRole('link', { name: /^Resume from here/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Go on from a checkpoint' }).waitFor();
    await page.getByText('as one past job on this base model took').waitFor();
    await page.getByText('Learning rate, LoRA and other settings').click();
    await page.getByLabel('Seed').fill('7');
    await page.getByLabel('Epochs (optional)').fill('1');
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByText('of 1', { exact: false }).waitFor();
    await page
      .getByRole('heading', { name: 'deployed' })
      .or(page.getByRole('heading', { name: 'complete' }))
      .waitFor();
    const { body } = await api.call('GET', '/felix/training-jobs');
    expect(body.training_jobs[0]).toMatchObject({ seed: 7, start_checkpoint_id: expect.any(String) });
  });

  it('compares two jobs, and says where they cannot be compared', async () => {
    const { training_jobs: jobs } = (await api.call('GET', '/felix/training-jobs')).body as {
      training_jobs: { id: string }[];
    };
    await page.goto(`/console/training/compare?job=${jobs[0]!.id}&with=${jobs[1]!.id}`);
    await page.getByRole('cell', { name: 'Seed' }).waitFor();
    expect(await page.getByRole('row', { name: /^Seed/ }).innerText()).toMatch(/7\s+3407/);
    // Another seed held out other rows.
    await page.getByRole('alert').getByText('on other rows').waitFor();
  });

  it('downloads the weights', async () => {
    const { training_jobs: jobs } = (await api.call('GET', '/felix/training-jobs')).body as {
      training_jobs: { id: string }[];
    };
    await page.goto(`/console/training/${jobs[0]!.id}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the weights' }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.tar\.gz$/);
  });

  it('meets no error of the browser on the way', () => {
    expect(complaints.filter((each) => !each.includes('status of 422'))).toEqual([]);
  });
});
