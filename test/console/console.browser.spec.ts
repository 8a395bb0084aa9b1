import { settled, violationsOn } from './axe.js';
import { CHROMIUM, complaintsOf, hasChromium, signedIn } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';
import { PLACES } from './places.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? 'the console in Chromium' : `the console: skipped: there is no ${CHROMIUM}`, () => {
  let filled: FilledSystem;
  const on = onAPage();
  beforeAll(async () => {
    filled = await fillSystem(on.api);
  });

  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', { width: 390, height: 844 }],
  ] as const)('passes WCAG 2.2 AA without messages in the browser on every page, %s', async (_, look) => {
    const context = await signedIn(on.browser, on.api, look);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    const violations: string[] = [];
    for (const { name, path } of PLACES) {
      await page.goto(`/console${path(filled)}`);
      await settled(page);
      violations.push(...(await violationsOn(page, name)));
    }
    await context.close();
    expect(violations).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('asks a signed-out visitor to sign in, at the requested address', async () => {
    const context = await signedIn(on.browser, { url: on.api.url, session: 'nobody' });
    const page = await context.newPage();
    await page.goto('/console/keys');
    await page.getByRole('heading', { name: 'Sign in to Anneal' }).waitFor();
    expect(await violationsOn(page, 'sign in')).toEqual([]);
    await context.addCookies([{ name: 'anneal_session', value: on.api.session, url: on.api.url }]);
    await page.reload();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await context.close();
  });

  it('opens a page by the command palette, by keyboard only', async () => {
    await on.page.goto('/console/');
    await settled(on.page);
    await on.page.keyboard.press('Control+k');
    await on.page.locator('[role=combobox]:focus').waitFor();
    await on.page.keyboard.type('scope');
    await on.page.getByRole('option', { name: 'API keys', selected: true }).waitFor();
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(new URL(on.page.url()).pathname).toBe('/console/keys');
  });

  it('makes a key with limits, shows them, and changes them', async () => {
    await on.page.goto('/console/keys');
    await on.page.getByRole('button', { name: 'New key' }).click();
    await on.page.getByRole('textbox', { name: 'Name', exact: true }).fill('limited');
    await on.page.getByText('Limits of its calls of models').click();
    await on.page.getByLabel('Only these models').fill('anneal/*, tickets');
    await on.page.getByLabel('Budget (USD)').fill('2.5');
    await on.page.getByLabel('Budget for').selectOption('week');
    await on.page.getByRole('button', { name: 'Create key' }).click();
    await on.page.getByText('anneal/*, tickets; $0.00 of $2.50 a week').waitFor();
    await on.page.getByRole('button', { name: 'Limits of limited' }).click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByLabel('Only these models').fill('');
    await dialog.getByLabel('Requests in a minute').fill('60');
    await dialog.getByRole('button', { name: 'Set limits' }).click();
    await on.page.getByText('60 requests a minute; $0.00 of $2.50 a week').waitFor();
  });

  it('makes a key, shows it once, and revokes it', async () => {
    await on.page.goto('/console/keys');
    await on.page.getByRole('button', { name: 'New key' }).click();
    await on.page.getByRole('textbox', { name: 'Name', exact: true }).fill('from a browser');
    await on.page.getByLabel('change everything else').uncheck();
    await on.page.getByRole('button', { name: 'Create key' }).click();
    const secret = await on.page.getByLabel('The new key').innerText();
    expect((await on.api.call('GET', '/projects', undefined, { 'x-api-key': secret })).status).toBe(200);
    expect((await on.api.call('POST', '/projects', { name: 'x' }, { 'x-api-key': secret })).status).toBe(403);
    await on.page.getByRole('button', { name: 'Revoke from a browser' }).click();
    await on.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await on.page.getByRole('button', { name: 'Revoke from a browser' }).waitFor({ state: 'detached' });
    expect((await on.api.call('GET', '/projects', undefined, { 'x-api-key': secret })).status).toBe(401);
  });
});
