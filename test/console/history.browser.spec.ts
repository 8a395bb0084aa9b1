import { startTestApi } from '#test/support/api.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';
import { importCalls } from './import-calls.js';

const suite = hasChromium() ? describe : describe.skip;

const CALLS = 3_000;

suite('the history in the console', () => {
  const on = onAPage(() => startTestApi({ rateLimits: false }));
  beforeAll(async () => {
    await importCalls(on.api, CALLS);
  });

  const row = (text: string) => on.page.getByRole('row').filter({ hasText: text });

  const open = async () => {
    await on.page.goto('/console/history');
    await row('call 3000 of').waitFor();
  };

  it('jumps to any row of a long list without loading earlier pages, and keeps few rows in the document', async () => {
    let pages = 0;
    on.page.on('request', (request) => (pages += Number(/\/inferences\?.*limit=50/.test(request.url()))));
    await open();
    await on.page.getByRole('heading', { name: '3,000 calls' }).waitFor();
    await row('call 3000 of').waitFor();
    await on.page.getByText('Go to a time or a row').click();
    await on.page.getByLabel(/or row/).fill('2900');
    await on.page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 101 of').waitFor();
    expect(pages).toBeLessThan(6);
    expect(await on.page.getByRole('row').count()).toBeLessThan(80);
  });

  it.each([390, 901, 1279, 1280, 1310, 1366])(
    'shows each call in full at %d px, and scrolls down alone',
    async (width) => {
      await on.page.setViewportSize({ width, height: 844 });
      await open();
      const list = on.page.getByRole('region', { name: 'Calls' });
      await expect(list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).resolves.toBe(0);
      const cells = on.page.getByRole('row').filter({ hasText: 'call 3000 of' }).getByRole('cell');
      const cut = await cells.evaluateAll((all) =>
        all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent),
      );
      expect(cut).toEqual([]);
    },
  );

  it('jumps to a time', async () => {
    await open();
    await on.page.getByText('Go to a time or a row').click();
    // Call n was made n minutes after the beginning of the year, in the browser's time zone.
    await on.page.getByLabel('Go to time').fill('2020-01-02T00:00');
    await on.page.getByLabel(/or row/).fill('');
    await on.page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 1439 of').waitFor();
  });

  it('shifts no row when calls arrive, and shows them on request', async () => {
    await open();
    await on.page.getByText('Go to a time or a row').click();
    await on.page.getByLabel(/or row/).fill('1562');
    await on.page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 1439 of').waitFor();
    await importCalls(on.api, 1, CALLS);
    await on.page.getByRole('button', { name: '1 new: show' }).waitFor();
    await row('call 1439 of').waitFor();
    await on.page.getByLabel(/or row/).fill('1');
    await on.page.getByRole('button', { name: 'Go', exact: true }).click();
    await row('call 3000 of').waitFor();
    await on.page.getByRole('button', { name: '1 new: show' }).click();
    await row('call 3001 of').waitFor();
  });

  it('opens a call beside the list, judges it there, and leads to its page and to the events behind its answer', async () => {
    await open();
    await row('call 3000 of').getByRole('link').click();
    const beside = on.page.getByLabel('The chosen call');
    await beside.getByRole('heading', { name: 'Lineage' }).waitFor();
    await beside.getByRole('button', { name: 'Right' }).click();
    await beside.getByText('Nobody has judged this call').waitFor({ state: 'detached' });
    await on.page.reload();
    await beside.getByRole('heading', { name: 'Lineage' }).waitFor();
    await beside.getByText('Each step').click();
    await beside.getByRole('link', { name: 'inference-imported.v1' }).first().click();
    await on.page.getByRole('heading', { name: 'Log', level: 1 }).waitFor();
    await on.page.getByRole('listitem').filter({ hasText: 'inference-imported.v1' }).waitFor();
    await on.page.goBack();
    await beside.getByRole('link', { name: 'Page of its own' }).click();
    await on.page.getByRole('link', { name: 'In the list' }).click();
    await on.page.keyboard.press('Escape');
    await beside.waitFor({ state: 'detached' });
  });

  it('stays in the way back from a call, at the row where it was', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('link', { name: 'History' }).first().click();
    await on.page.getByText('Go to a time or a row').click();
    await on.page.getByLabel(/or row/).fill('1562');
    await on.page.getByRole('button', { name: 'Go', exact: true }).click();
    const seen = row('call 1439 of');
    await seen.getByRole('link').click();
    const beside = on.page.getByLabel('The chosen call');
    await beside.getByRole('link', { name: 'Page of its own' }).click();
    await on.page.getByRole('heading', { name: 'Call', level: 1 }).waitFor();
    await on.page.goBack();
    await beside.waitFor();
    await seen.waitFor();
    await on.page.goBack();
    await beside.waitFor({ state: 'detached' });
    await seen.waitFor();
    await on.page.goBack();
    await on.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  it('accepts every filter of the API in the address and in its fields', async () => {
    on.expectsRefusal();
    await on.page.goto('/console/history?label=city&latency_max=6&confidence_max=0.9&verdict=correct');
    await on.page.getByRole('heading', { name: '1 call', exact: true }).waitFor();
    await on.page.getByRole('button', { name: 'Filters', exact: true }).click();
    expect(await on.page.getByLabel('Latency to (ms)').inputValue()).toBe('6');
    await on.page.getByLabel('Label', { exact: true }).fill('nothing of the kind');
    await on.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await on.page.getByText('No call is like this').waitFor();
    await on.page.getByLabel('Confidence from').fill('7');
    await on.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await on.page.getByRole('alert').getByText('confidence_min').waitFor();
  });

  it('draws volume, latency, cost and accuracy by day, and lists labels that lead to their calls', async () => {
    await on.page.goto('/console/history?view=charts');
    for (const name of [/^Calls a day/, /^Latency on the last day/, /^Cost a day/, /^Accuracy on the last day/])
      await on.page.getByRole('img', { name }).waitFor();
    await on.page.getByRole('link', { name: 'city' }).click();
    await on.page.getByRole('heading', { name: '3,001 calls' }).waitFor();
  });
});
