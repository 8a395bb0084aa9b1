import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the log in the console', () => {
  let api: TestApi;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi();
    browser = await startBrowser();
    context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  const project = async (name: string) => (await api.call('POST', '/projects', { name })).body.id as string;
  const contents = () => page.getByRole('listitem').filter({ hasText: 'project-created.v1' });

  it('shows an event at once when it happens, on top of the earlier ones, and goes on where it was paused', async () => {
    await project('first');
    await page.goto('/console/log?type=project-created.v1');
    await page.getByText('live', { exact: true }).waitFor();
    await project('second');
    await contents().nth(1).waitFor();
    await contents().first().getByText('Content').click();
    await page.getByText('"second"').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    await project('third');
    await page.getByRole('button', { name: 'Go on live' }).click();
    await contents().nth(2).waitFor();
    expect(await contents().count()).toBe(3);
  });

  it('keeps what is selected in the address: type, cause, request, time', async () => {
    await page.goto('/console/log');
    await page.getByLabel('Type').fill('project-created.v1');
    await page.getByLabel('Until').fill('2000-01-01T00:00');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No event is like this yet').waitFor();
    expect(new URL(page.url()).search).toContain('until=2000-01-01T00');
    await page.reload();
    await page.getByText('No event is like this yet').waitFor();
    expect(await page.getByLabel('Type').inputValue()).toBe('project-created.v1');
    await page.getByLabel('Type').fill('nothing.v1');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('alert').getByText('names no type of event').waitFor();
  });

  it('shows a resource as it was after each event of its stream, and says what that event changed', async () => {
    const { body: model } = await api.call('POST', '/models', { name: 'tickets' });
    await api.call('POST', '/models/tickets/versions', { model_id: 'anneal/encoder-base-v1' });
    await api.call('PUT', '/models/tickets/versions/1/promote', { reason: 'the first one' });
    await api.drained();
    await page.goto(`/console/log?stream=${model.stream}`);
    const fields = page.getByLabel('Fields');
    await fields.getByText('promotions (changed)').waitFor();
    await page.getByRole('slider').press('Home');
    await fields.getByText('name (changed)').waitFor();
    expect(await fields.innerText()).not.toContain('the first one');
    expect(new URL(page.url()).search).toContain('as_of=');
    await page.reload();
    await fields.getByText('name (changed)').waitFor();
    await page.getByRole('slider').press('End');
    await fields.getByText('the first one').waitFor();
  });

  it('says how far the log was verified, and what the signed checkpoint covers', async () => {
    await page.getByRole('heading', { name: 'Verification' }).waitFor();
    await page.getByText('Problems found').waitFor();
    await page.getByText('A signed checkpoint covers the first').waitFor();
  });

  it('has no complaint of the browser', () => {
    // The one is the refusal above.
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });
});
