import type { Page } from 'playwright-core';
import { settled, violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const PAGES = ['', 'datasets', 'training', 'models', 'playground', 'review', 'labelling', 'history', 'log', 'batches', 'contents', 'operate', 'settings', 'webhooks', 'keys', 'people']; // prettier-ignore
/** Pages whose lists are empty at first, with the advice that each gives. */
const EMPTY: readonly (readonly [page: string, advice: RegExp])[] = [
  ['', /Use the sample/],
  ['datasets', /Upload a file/],
  ['training', /Nothing was trained yet/],
  ['training/new', /Upload a dataset/],
  ['models', /There are no names yet/],
  ['review', /Nothing waits for review here/],
  ['labelling', /Paste texts/],
  ['history', /No call is like this|No call was recorded/],
  ['batches', /No file was sent yet/],
  ['webhooks', /Add an address/],
];

suite('the pages of the console', () => {
  const on = onAPage();

  it.each(EMPTY)('say on an empty system what to do, on /%s, and pass WCAG 2.2 AA', async (path, advice) => {
    await on.page.goto(`/console/${path}`);
    await on.page.getByText(advice).first().waitFor();
    await settled(on.page);
    expect(await violationsOn(on.page, path)).toEqual([]);
  });

  it.each(PAGES)('say what failed, offer a retry, and pass WCAG 2.2 AA, on /%s', async (path) => {
    on.expectsRefusal();
    await failing(on.page);
    await on.page.goto(`/console/${path}`);
    await on.page.getByRole('alert').getByText('the disk is full').first().waitFor();
    expect(await violationsOn(on.page, path)).toEqual([]);
    await on.page.unrouteAll({ behavior: 'ignoreErrors' });
    await on.page.evaluate(
      `[...document.querySelectorAll('[role=alert] button')].filter((each) => each.innerText === 'Try again').forEach((again) => again.click())`,
    );
    await on.page.getByRole('alert').first().waitFor({ state: 'detached' });
  });

  it('say that the system does not answer, and continue once it does', async () => {
    on.expectsRefusal();
    await on.page.route('**/auth/session', (route) => route.abort());
    await on.page.goto('/console/keys');
    await on.page.getByRole('alert').getByText('Anneal does not answer').waitFor();
    expect(await violationsOn(on.page, 'without a system')).toEqual([]);
    await on.page.unrouteAll({ behavior: 'ignoreErrors' });
    await on.page.getByRole('button', { name: 'Try again' }).click();
    await on.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  });
});

suite('a system that stops', () => {
  const on = onAPage();

  it('is named on the open page at once, and the page goes on by itself once it answers', async () => {
    on.expectsRefusal();
    await on.page.goto('/console/keys');
    await on.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await on.page.route(
      (url) => !url.pathname.startsWith('/console'),
      (route) => route.abort(),
    );
    await on.page.getByRole('link', { name: 'Datasets' }).first().click();
    const said = on.page.getByText('The page goes on by itself once it does');
    await said.waitFor();
    await on.page.getByRole('link', { name: 'Models' }).first().click();
    await said.waitFor();
    await on.page.unrouteAll({ behavior: 'ignoreErrors' });
    await said.waitFor({ state: 'detached' });
    await on.page.getByText('There are no names yet').waitFor();
  });
});

suite('what the console says', () => {
  const on = onAPage();

  it('is dismissed once it is read, and said again when it happens again', async () => {
    on.expectsRefusal();
    await on.page.goto('/console/keys');
    await on.page.getByRole('button', { name: 'New key' }).click();
    await on.page.getByLabel('Name', { exact: true }).fill('a laptop');
    await on.page.route('**/create-api-key', (route) => route.abort());
    const failed = on.page.getByRole('alert').getByText('does not answer');
    for (const _ of ['once', 'again']) {
      await on.page.getByRole('button', { name: 'Create key' }).click();
      await failed.waitFor();
      await on.page.getByRole('button', { name: 'Dismiss this message' }).click();
      await failed.waitFor({ state: 'detached' });
    }
  });

  it('is copied on plain HTTP as well, where browsers have no clipboard', async () => {
    await on.page.addInitScript(() => {
      Object.defineProperty(globalThis, 'isSecureContext', { value: false });
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    await on.page.goto('/console/keys');
    await on.page.getByRole('button', { name: 'New key' }).click();
    await on.page.getByLabel('Name', { exact: true }).fill('a laptop');
    await on.page.getByRole('button', { name: 'Create key' }).click();
    const key = await on.page.getByLabel('The new key').innerText();
    await on.page.getByRole('button', { name: 'Copy', exact: true }).click();
    await on.page.getByRole('button', { name: 'Copied' }).waitFor();
    await on.page.getByRole('button', { name: 'New key' }).click();
    await on.page.getByLabel('Name', { exact: true }).fill('');
    await on.page.getByLabel('Name', { exact: true }).focus();
    await on.page.keyboard.press('Control+v');
    expect(await on.page.getByLabel('Name', { exact: true }).inputValue()).toBe(key.trim());
  });
});

/** All that the page asks for fails, but who is signed in. */
async function failing(page: Page): Promise<void> {
  await page.route(
    (url) => !url.pathname.startsWith('/console') && url.pathname !== '/auth/session',
    (route) => route.fulfill({ status: 507, contentType: 'application/json', body: '{"detail":"the disk is full"}' }),
  );
}
