import type { Browser } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the playground of the console', () => {
  let api: TestApi;
  let browser: Browser;
  beforeAll(async () => {
    api = await startTestApi();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it('draws the entities of a text that is typed, filters them without a call, and shows the call as code', async () => {
    const context = await signedIn(browser, api);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    let calls = 0;
    page.on('request', (request) => (calls += Number(new URL(request.url()).pathname === '/inference')));
    await page.goto('/console/playground?model=anneal%2Fencoder-base-v1');
    await page.getByLabel('Labels', { exact: true }).fill('person');
    await page.getByLabel('Text', { exact: true }).fill('Then 🙂 Maria Lopez wrote to us.');
    const entity = page.locator('mark', { hasText: 'Maria' });
    await entity.waitFor();
    expect(await entity.innerText()).toMatch(/^Maria( Lopez)?\s*person$/);
    expect(calls).toBe(1);
    await page.getByLabel(/^Threshold/).fill('1');
    await entity.waitFor({ state: 'detached' });
    expect(calls).toBe(1);
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await page.getByLabel('Language').selectOption('Python');
    expect(await page.getByLabel('The call in Python').innerText()).toContain('Maria');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
