import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

suite('labelling in the console', () => {
  let api: TestApi;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi();
    browser = await startBrowser();
  });
  beforeEach(async () => {
    context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  const rowsOf = async (name: string, version: number) => {
    await settled(api, `/felix/datasets/${name}/${version}`);
    return (await api.call('GET', `/felix/datasets/${name}/${version}/preview?limit=100`)).body.rows;
  };
  const row = (title: string) => page.getByRole('heading', { name: title }).waitFor();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** The keyboard goes to the text once that is there. */
  const inText = () => page.waitForFunction('document.activeElement?.getAttribute("aria-label") === "Text to label"');

  it('takes pasted texts, which a model labels first, and saves them as a new version', async () => {
    await page.goto('/console/labelling');
    await page.getByRole('button', { name: 'Paste texts' }).click();
    await page.getByLabel('Texts', { exact: true }).fill('Maria flew to Lisbon.\nZorb flew to Lisbon.\nNothing.\n');
    await page.getByLabel('Name of their dataset').fill('pasted');
    await page.getByRole('button', { name: 'Begin' }).click();
    await row('Row 1 of 3');
    await page.getByLabel('A model labels first').selectOption('anneal/encoder-base-v1');
    await page.getByLabel('Entities', { exact: true }).fill('city, airline');
    await page
      .getByRole('listitem')
      .getByText(/Lisbon city, confidence \d/)
      .waitFor();
    await page.getByRole('button', { name: 'Accept, next' }).click();
    await row('Row 2 of 3');
    await inText();
    await press('Home', '2');
    await page.getByText('“Zorb” is airline').waitFor();
    // In mid-edit.
    await page.reload();
    await page.getByRole('listitem').getByText('Zorb airline').waitFor();
    await inText();
    await press('Control+Enter');
    await row('Row 3 of 3');
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('1 accepted, 1 corrected, 1 skipped').waitFor();
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByRole('heading', { name: 'pasted, version 2' }).waitFor();
    expect(await rowsOf('pasted', 2)).toEqual([
      {
        text: 'Maria flew to Lisbon.',
        entities: [{ text: 'Lisbon', label: 'city', start: 14, end: 20 }],
      },
      {
        text: 'Zorb flew to Lisbon.',
        entities: [
          { text: 'Zorb', label: 'airline', start: 0, end: 4 },
          { text: 'Lisbon', label: 'city', start: 13, end: 19 },
        ],
      },
    ]);
  });

  it('hides the labels of the first pass from the second, shows afterwards where they differ, and saves what is decided', async () => {
    const first = [
      { text: 'Anna is in Rome', entities: [['Rome', 'city']], label: 'travel', id: 7 },
      { text: 'Boris likes Oslo', entities: [['Boris', 'person']], label: 'other' },
    ];
    await uploadDataset(api, { dataset_name: 'twice' }, first.map((each) => JSON.stringify(each)).join('\n'));
    await page.goto('/console/labelling?dataset=twice&version=1&pass=blind');
    await row('Row 1 of 2');
    await page.getByText('No entities yet').waitFor();
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    await inText();
    await press('End', '1');
    await page.getByText('“Rome” is city').waitFor();
    await page.getByRole('radio', { name: 'travel' }).check();
    await page.getByRole('button', { name: 'Correct, next' }).click();
    await row('Row 2 of 2');
    await inText();
    await press('End', '1');
    await page.getByText('“Oslo” is city').waitFor();
    await page.getByRole('radio', { name: 'other' }).check();
    await page.getByRole('button', { name: 'Correct, next' }).click();
    await page.getByText('2 corrected').waitFor();
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByRole('heading', { name: 'twice-second, version 1' }).waitFor();
    await page.goto('/console/labelling?dataset=twice&version=1&second=twice-second%2F1');
    await page.getByRole('heading', { name: '1 text on which they differ' }).waitFor();
    await page.getByRole('region', { name: 'Second pass, row 2' }).getByRole('button').click();
    await page.getByText('Row 2, decided').waitFor();
    await page.getByRole('button', { name: /^Back to the rows/ }).click();
    await page.getByText('1 corrected').waitFor();
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByRole('heading', { name: 'twice, version 2' }).waitFor();
    expect(await rowsOf('twice', 2)).toEqual([
      first[0],
      { text: 'Boris likes Oslo', entities: [{ text: 'Oslo', label: 'city', start: 12, end: 16 }], label: 'other' },
    ]);
  });
});
