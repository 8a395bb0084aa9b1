import { violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('what a person sets in the console', () => {
  const on = onAPage();

  it('of a table, its order and its columns, is there after a reload', async () => {
    for (const name of ['key 10', 'key 9'])
      await on.api.call('POST', '/create-api-key', { name }, { authorization: `Bearer ${on.api.session}` });
    const names = async () => {
      const cells = on.page
        .getByRole('row')
        .filter({ hasText: /key \d/ })
        .locator('td:first-child');
      // Behind the name are the last characters of the key.
      return (await cells.allTextContents()).map((said) => said.split(' …')[0]);
    };
    await on.page.goto('/console/keys');
    await on.page.getByRole('button', { name: 'Name', exact: true }).click();
    expect(await names()).toEqual(['key 9', 'key 10']);
    await on.page.getByRole('button', { name: 'Name', exact: true }).click();
    expect(await names()).toEqual(['key 10', 'key 9']);
    await on.page.getByRole('button', { name: 'Columns of: Your API keys' }).click();
    await on.page.getByLabel('Expires', { exact: true }).uncheck();
    expect(await violationsOn(on.page, 'a table with its columns')).toEqual([]);
    await on.page.reload();
    await on.page.getByRole('columnheader', { name: 'Created' }).waitFor();
    expect(await names()).toEqual(['key 10', 'key 9']);
    expect(await on.page.getByRole('columnheader', { name: 'Expires' }).count()).toBe(0);
  });

  it('of filters, under a name, leads to the same address again', async () => {
    await on.page.goto('/console/history?status=failed');
    await on.page.getByRole('button', { name: 'Save this view' }).click();
    await on.page.getByLabel('Name of the view').fill('What failed');
    await on.page.getByRole('button', { name: 'Save the view' }).click();
    await on.page.goto('/console/history');
    await on.page.getByRole('button', { name: 'What failed', exact: true }).click();
    await on.page.waitForURL(/status=failed/);
    await on.page.getByRole('button', { name: 'Forget the view What failed' }).click();
    await on.page.getByRole('button', { name: 'Save this view' }).waitFor();
  });
});
