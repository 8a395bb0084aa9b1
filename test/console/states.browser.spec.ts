import type { Page } from 'playwright-core';
import { settled, violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const PAGES = ['', 'datasets', 'training', 'models', 'playground', 'review', 'labelling', 'history', 'log', 'contents', 'operate', 'keys', 'people']; // prettier-ignore
/** Pages whose lists are empty at first, with the advice that each gives. */
const EMPTY: readonly (readonly [page: string, advice: RegExp])[] = [
  ['', /Use the sample/],
  ['datasets', /Upload a file/],
  ['training', /Upload a dataset/],
  ['models', /There are no names yet/],
  ['review', /Nothing waits for review here/],
  ['labelling', /Paste texts/],
  ['history', /No call is like this|No call was recorded/],
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
    await on.page.evaluate(`document.querySelectorAll('[role=alert] button').forEach((again) => again.click())`);
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

/** All that the page asks for fails, but who is signed in. */
async function failing(page: Page): Promise<void> {
  await page.route(
    (url) => !url.pathname.startsWith('/console') && url.pathname !== '/auth/session',
    (route) => route.fulfill({ status: 507, contentType: 'application/json', body: '{"detail":"the disk is full"}' }),
  );
}
