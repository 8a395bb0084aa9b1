import type { Browser } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { CHROMIUM, complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? "the console's page of people" : `the page of people: skipped: there is no ${CHROMIUM}`, () => {
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

  it('invites an auditor by a link, who sets a password and sees the members, and is removed again', async () => {
    const context = await signedIn(browser, api);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    await page.goto('/console/people');
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByLabel('Role').selectOption('auditor');
    await page.getByRole('button', { name: 'Give the role' }).click();
    const said = page.getByRole('status').filter({ hasText: 'grace@example.com is auditor here' });
    await said.waitFor();
    const link = /http\S+sign-in\?token=[\w-]{43}/.exec((await said.textContent()) ?? '')?.[0];

    const hers = await (await browser.newContext()).newPage();
    await hers.goto(link!);
    await hers.goto(`${api.url}/console/people`);
    await hers.getByRole('cell', { name: 'auditor' }).waitFor();
    expect(await hers.getByRole('button', { name: 'Give the role' }).count()).toBe(0);
    await hers.getByLabel('New password').fill('a horse of her own');
    await hers.getByRole('button', { name: 'Set password' }).click();
    await hers.getByText('Your password is set.').waitFor();

    await page.getByRole('button', { name: 'Remove grace@example.com' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor({ state: 'detached' });
    await hers.reload();
    await hers.getByRole('heading', { name: 'Sign in to Anneal' }).waitFor();
    await context.close();
    expect(complaints).toEqual([]);
  });
});
