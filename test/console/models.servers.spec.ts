import type { Browser, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';
import { fillSystem } from './filled-system.js';

const suite = hasChromium() ? describe : describe.skip;

suite('models in the console', () => {
  let api: TestApi;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi();
    await fillSystem(api);
    const second = await api.call('POST', '/models/tickets/versions', { model_id: 'anneal/encoder-base-v1' });
    expect(second.status).toBeLessThan(300);
    browser = await startBrowser();
    const context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  const model = async () => (await api.call('GET', '/models/tickets')).body;

  it('get labels, and a shadow that is stopped again, each for a reason', async () => {
    await page.goto('/console/models/tickets');
    await page.getByRole('button', { name: 'Give version 2 a label' }).click();
    await page.getByLabel('Label', { exact: true }).fill('trial');
    await page.getByLabel('Reason').fill('to be tried');
    await page.getByRole('button', { name: 'Give the label' }).click();
    await page.getByRole('cell', { name: 'trial' }).waitFor();
    await page.getByRole('button', { name: 'Shadow with version 2' }).click();
    await page.getByLabel('Reason').fill('to be compared');
    await page.getByRole('dialog').getByRole('button', { name: 'Shadow', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the shadow' }).click();
    expect(await model()).toMatchObject({ labels: { trial: 2 }, shadow_version: 2 });
    await page.getByLabel('Reason').fill('compared');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the shadow' }).waitFor({ state: 'detached' });
    expect(await model()).toMatchObject({ shadow_version: null });
  });

  it('have a policy that the form changes, and keeps where it does not show it', async () => {
    await api.call('PUT', '/models/tickets/policy', { refused_corrections: 'left_out' });
    await page.goto('/console/models/tickets');
    await page.getByLabel('After corrections').fill('50');
    await page.getByLabel('A version that passes').selectOption('is put in use');
    await page.getByRole('button', { name: 'Save the policy' }).click();
    await page
      .getByText('Saved')
      .or(page.locator('input[name=improve_after_corrections][value="50"]'))
      .first()
      .waitFor();
    await api.drained();
    expect((await model()).policy).toMatchObject({
      improve_after_corrections: 50,
      on_pass: 'promote',
      refused_corrections: 'left_out',
    });
  });

  it('meet no error of the browser on the way', () => {
    expect(complaints).toEqual([]);
  });
});
