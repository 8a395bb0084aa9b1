import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { CHROMIUM, complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { PLACES } from './places.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? 'the console in Chromium' : `the console: skipped: there is no ${CHROMIUM}`, () => {
  let api: TestApi;
  let browser: Browser;
  let filled: FilledSystem;
  beforeAll(async () => {
    api = await startTestApi();
    browser = await startBrowser();
    filled = await fillSystem(api);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it.each(['light', 'dark'] as const)(
    'has no violation of WCAG 2.2 AA and no complaint on any page, %s',
    async (colorScheme) => {
      const context = await signedIn(browser, api, { colorScheme });
      const complaints = complaintsOf(context);
      const page = await context.newPage();
      const violations: string[] = [];
      for (const { name, path } of PLACES) {
        await page.goto(`/console${path(filled)}`);
        await settled(page);
        for (const each of await violationsOn(page)) violations.push(`${name}: ${each}`);
      }
      await context.close();
      expect(violations).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it('asks who is not signed in to sign in, at the address asked for', async () => {
    const context = await signedIn(browser, { url: api.url, session: 'nobody' });
    const page = await context.newPage();
    await page.goto('/console/keys');
    await page.getByRole('heading', { name: 'Sign in to Anneal' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await context.addCookies([{ name: 'anneal_session', value: api.session, url: api.url }]);
    await page.reload();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await context.close();
  });

  it('reaches a page by the command palette, with the keyboard alone', async () => {
    const context = await signedIn(browser, api);
    const page = await context.newPage();
    await page.goto('/console/');
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('secret');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/keys');
    await context.close();
  });

  it('makes a key, shows it once, and revokes it', async () => {
    const context = await signedIn(browser, api);
    const page = await context.newPage();
    await page.goto('/console/keys');
    await page.getByLabel('Name').fill('from a browser');
    await page.getByLabel('change everything else').uncheck();
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByLabel('The new key').innerText();
    expect((await api.call('GET', '/projects', undefined, { 'x-api-key': secret })).status).toBe(200);
    expect((await api.call('POST', '/projects', { name: 'x' }, { 'x-api-key': secret })).status).toBe(403);
    await page.getByRole('button', { name: 'Revoke from a browser' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke from a browser' }).waitFor({ state: 'detached' });
    expect((await api.call('GET', '/projects', undefined, { 'x-api-key': secret })).status).toBe(401);
    await context.close();
  });
});

/** Its content is there, and nothing more is on its way. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
}

/** Violations of WCAG 2.2 at levels A and AA that axe finds. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  const has = await page.evaluate('"axe" in globalThis');
  if (!has) await page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
