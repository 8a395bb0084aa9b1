import type { Browser, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { CHROMIUM, complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? 'a newcomer with the console alone' : `the console: skipped: there is no ${CHROMIUM}`, () => {
  let api: TestApi;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi();
    browser = await startBrowser();
    const context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it('is led from nothing to a trained model', async () => {
    await page.goto('/console/');
    await page.getByRole('button', { name: 'Use the sample' }).click();
    await page.getByRole('button', { name: 'Train on tickets' }).click();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('mark', { hasText: '90210' }).waitFor();
    await page.getByRole('link', { name: 'Training' }).click();
    await page.getByRole('link', { name: 'tickets' }).click();
    await page.getByRole('heading', { name: /^(complete|deployed)$/ }).waitFor();
    await page.getByRole('heading', { name: 'By label, on rows held out' }).waitFor();
  });

  it('uploads a file of her own and sees its rows, or why it was refused', async () => {
    await page.getByRole('link', { name: 'Datasets' }).click();
    const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
    await page
      .getByLabel('File')
      .setInputFiles(file('my visits.jsonl', '{"text": "Ada went to Ghent.", "entities": [["Ghent", "city"]]}\n'));
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('heading', { name: 'my-visits, version 1' }).waitFor();
    await page.getByText('Ada went to').waitFor();
    expect(await page.locator('mark').innerText()).toBe('Ghentcity');
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByLabel('File').setInputFiles(file('wrong.jsonl', '{"text": 7}\n'));
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('alert').getByText('text must be a string').waitFor();
  });

  it('gives the model a name, promotes it, and reads why in its events', async () => {
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByLabel('Name').fill('support');
    await page.getByRole('button', { name: 'Create name' }).click();
    await page.getByRole('button', { name: 'Add as version' }).click();
    await page.getByRole('button', { name: 'Promote version 1' }).click();
    await page.getByLabel('Reason').fill('it is the first one');
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await page.getByRole('cell', { name: 'it is the first one' }).waitFor();
    await page.getByRole('link', { name: 'Its events' }).click();
    await page.getByRole('listitem').filter({ hasText: 'model-version-promoted' }).first().waitFor();
    const answer = await api.call('POST', '/inference', { model_id: 'support', text: 'Where is order 90210?' });
    expect(answer.status).toBe(200);
  });

  it('meets no error of the browser on the way', () => {
    expect(complaints).toEqual([]);
  });
});
