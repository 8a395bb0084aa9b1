import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';
import { importCalls } from './import-calls.js';

const suite = hasChromium() ? describe : describe.skip;

const CALLS = 3_000;

suite('the history in the console', () => {
  let api: TestApi;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    await importCalls(api, CALLS);
    browser = await startBrowser();
    context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  const row = (text: string) => page.getByRole('row').filter({ hasText: text });

  it('goes to any row of a long list without the pages before it, and keeps few rows in the document', async () => {
    let pages = 0;
    page.on('request', (request) => (pages += Number(/\/inferences\?.*limit=100/.test(request.url()))));
    await page.goto('/console/history');
    await page.getByRole('heading', { name: '3,000 calls' }).waitFor();
    await row('call 3000 of').waitFor();
    await page.getByLabel(/or row/).fill('2900');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 101 of').waitFor();
    expect(pages).toBeLessThan(6);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
  });

  it('goes to a time', async () => {
    // Call n was made n minutes after the beginning of the year, in the browser's time zone.
    await page.getByLabel('Go to time').fill('2020-01-02T00:00');
    await page.getByLabel(/or row/).fill('');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 1439 of').waitFor();
  });

  it('shifts no row when calls arrive, and shows them when asked', async () => {
    await importCalls(api, 1, CALLS);
    await page.getByRole('button', { name: '1 new: show' }).waitFor();
    await row('call 1439 of').waitFor();
    await page.getByLabel(/or row/).fill('1');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 3000 of').waitFor();
    await page.getByRole('button', { name: '1 new: show' }).click();
    await row('call 3001 of').waitFor();
  });

  it('opens a call beside the list, judges it there, and leads to its page and to the events behind its answer', async () => {
    await row('call 3000 of').getByRole('link').click();
    const beside = page.getByLabel('The chosen call');
    await beside.getByRole('heading', { name: 'Lineage' }).waitFor();
    await beside.getByRole('button', { name: 'Correct', exact: true }).click();
    await beside.getByText('Nobody has judged this call').waitFor({ state: 'detached' });
    await page.reload();
    await beside.getByRole('heading', { name: 'Lineage' }).waitFor();
    await beside.getByRole('link', { name: 'inference-imported.v1' }).first().click();
    await page.getByRole('heading', { name: 'Log', level: 1 }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'inference-imported.v1' }).waitFor();
    await page.goBack();
    await beside.getByRole('link', { name: 'Page of its own' }).click();
    await page.getByRole('link', { name: 'In the list' }).click();
    await page.keyboard.press('Escape');
    await beside.waitFor({ state: 'detached' });
  });

  it('takes every filter of the API from the address and from its fields', async () => {
    await page.goto('/console/history?label=city&latency_max=6&confidence_max=0.9&verdict=correct');
    await page.getByRole('heading', { name: '1 call', exact: true }).waitFor();
    expect(await page.getByLabel('Latency to (ms)').inputValue()).toBe('6');
    await page.getByLabel('Label', { exact: true }).fill('nothing of the kind');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('No call is like this').waitFor();
    await page.getByLabel('Confidence from').fill('7');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('alert').getByText('confidence_min').waitFor();
  });

  it('draws volume, latency, cost and accuracy by day, and lists labels that lead to their calls', async () => {
    await page.goto('/console/history?view=charts');
    for (const name of [/^Calls a day/, /^Latency on the last day/, /^Cost a day/, /^Accuracy on the last day/])
      await page.getByRole('img', { name }).waitFor();
    await page.getByRole('link', { name: 'city' }).click();
    await page.getByRole('heading', { name: '3,001 calls' }).waitFor();
  });

  it('has no complaint of the browser', () => {
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });
});
