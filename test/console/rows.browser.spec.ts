import { uploadDataset } from '#test/support/datasets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const ROWS = [
  ...Array.from({ length: 30 }, (_, row) => ({ text: `Order ${row} is late.`, label: row % 2 ? 'late' : 'lost' })),
  { text: 'order 3 is LATE', label: 'late' },
];

suite('the rows of a dataset in the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    const content = ROWS.map((row) => JSON.stringify(row)).join('\n');
    await uploadDataset(on.api, { dataset_name: 'orders', dataset_type: 'classification' }, content);
  });

  it('are found by words, label and repetition, and the address keeps what was asked', async () => {
    await on.page.goto('/console/datasets/orders/1');
    await on.page.getByRole('searchbox', { name: 'Words in a row' }).fill('order 3');
    await on.page.keyboard.press('Enter');
    await on.page.getByText('1 to 2 of 2, found in 31').waitFor();
    await on.page.getByRole('button', { name: 'Filters' }).click();
    await on.page.getByLabel('Repeats an earlier row').selectOption('only those');
    await on.page.getByLabel('Label', { exact: true }).selectOption('late');
    await on.page.getByRole('button', { name: 'Apply' }).click();
    await on.page.getByText('1 to 1 of 1, found in 31').waitFor();
    await on.page.reload();
    await on.page.getByText('Row 31', { exact: true }).waitFor();
    await on.page.getByRole('button', { name: 'Label: late' }).click();
    await on.page.getByRole('button', { name: 'Repeats an earlier row: true' }).click();
    await on.page.getByText('1 to 2 of 2, found in 31').waitFor();
  });

  it('are edited, and left out, in the next version, while this one stays', async () => {
    await on.page.goto('/console/datasets/orders/1');
    await on.page.getByRole('button', { name: 'Edit row 2', exact: true }).click();
    await on.page.getByLabel('Row', { exact: true }).fill('{"text": "Order one came.", "label": "came"}');
    await on.page.getByRole('button', { name: 'Save as the next version' }).click();
    await on.page.getByRole('heading', { name: 'orders, version 2' }).waitFor();
    await on.page.getByText('Order one came.').first().waitFor();
    await on.page.getByRole('button', { name: 'Edit row 31', exact: true }).waitFor({ state: 'detached' });
    await on.page.getByRole('button', { name: 'Edit row 1', exact: true }).click();
    await on.page.getByRole('button', { name: 'Leave the row out' }).click();
    await on.page.getByRole('heading', { name: 'orders, version 3' }).waitFor();
    await on.page.getByText('30 rows with 3 labels to learn from.').waitFor();
    const rows = async (version: number) =>
      (await on.api.call('GET', `/felix/datasets/orders/${version}/preview?limit=2`)).body as { rows: object[] };
    expect((await rows(1)).rows).toEqual(ROWS.slice(0, 2));
    expect((await rows(3)).rows).toEqual([{ text: 'Order one came.', label: 'came' }, ROWS[2]]);
  });
});
