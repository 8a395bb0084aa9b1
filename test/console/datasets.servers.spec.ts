import type { Browser, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { complaintsOf, hasChromium, signedIn, startBrowser } from './browser.js';

const suite = hasChromium() ? describe : describe.skip;

const rows = (...texts: readonly string[]): string =>
  texts.map((text) => `${JSON.stringify({ text, entities: [['Ghent', 'city']] })}\n`).join('');

suite('datasets in the console', () => {
  let api: TestApi;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await startTestApi();
    await uploadDataset(api, { dataset_name: 'visits' }, rows('Ada saw Ghent.', 'Bo left Ghent.', 'Ada saw Ghent.'));
    await uploadDataset(api, { dataset_name: 'tests' }, rows('Bo left Ghent.', 'Cy likes Ghent.'));
    browser = await startBrowser();
    const context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it('show duplicates beside the rows that they repeat, and the rows that leak into a test set', async () => {
    await page.goto('/console/datasets/visits/1');
    await page
      .getByRole('button', { name: 'Show the rows: rows have the text of an earlier row', exact: true })
      .click();
    await page.getByText('visits 1, row 3').waitFor();
    await page.getByText('visits 1, row 1').waitFor();
    await page.getByLabel('Dataset that is measured on').fill('tests 1');
    await page.getByRole('button', { name: 'Look for leaks' }).click();
    await page.getByText('rows stand in tests 1 too').waitFor();
    await page.getByText('tests 1, row 1').waitFor();
  });

  it('draw structures and relations as such', async () => {
    const row = {
      text: 'Ada paid Bo 5 euros.',
      json_structures: [{ payment: { amount: '5 euros' } }],
      relations: [{ paid: { head: 'Ada', tail: 'Bo' } }],
    };
    await uploadDataset(api, { dataset_name: 'payments' }, `${JSON.stringify(row)}\n`);
    await page.goto('/console/datasets/payments/1');
    await page.getByRole('definition').getByText('5 euros').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'paid' }).last().innerText()).toMatch(
      /Ada\s+→\s+paid\s+→\s+Bo/,
    );
  });

  it('are merged, generated live, and labelled by a model, and shown then', async () => {
    const make = async (way: string, fields: Readonly<Record<string, string>>, button: string): Promise<void> => {
      await page.goto('/console/datasets');
      await page.getByRole('button', { name: way }).click();
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
      await page.getByRole('button', { name: button, exact: true }).click();
    };
    await make('Merge datasets', { 'Name of the dataset': 'all', 'Datasets, one a line': 'visits 1\ntests' }, 'Merge');
    await page.getByRole('heading', { name: 'all, version 1' }).waitFor();
    const generated = { 'Name of the dataset': 'made', Labels: 'person, city', Rows: '20' };
    await make('Generate rows', generated, 'Generate');
    await page.getByRole('heading', { name: 'made, version 1' }).waitFor();
    const texts = {
      'Name of the dataset': 'labelled',
      Labels: 'person, city',
      'Texts, one a line': 'Maria saw Lisbon.',
    };
    await make('Label texts by a model', texts, 'Label');
    await page.getByRole('heading', { name: 'labelled, version 1' }).waitFor();
    await page.locator('mark', { hasText: 'Maria' }).waitFor();
  });

  it('meet no error of the browser on the way', () => {
    expect(complaints).toEqual([]);
  });
});
