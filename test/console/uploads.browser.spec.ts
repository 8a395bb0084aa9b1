import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const TABLE = ['message,kind', ...Array.from({ length: 30 }, (_, row) => `Where is order ${row}?,${row % 2}`)].join(
  '\n',
);
const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

suite('uploads in the console', () => {
  const on = onAPage();

  const choose = async (...files: readonly ReturnType<typeof file>[]): Promise<void> => {
    await on.page.goto('/console/datasets/new');
    await on.page.getByLabel('File').setInputFiles([...files]);
  };

  it('wait where the first rows cannot be read, until the columns have their roles and the classes their names', async () => {
    await choose(file('orders.csv', TABLE));
    await on.page.getByRole('button', { name: 'Upload', exact: true }).click();
    await on.page.getByRole('heading', { name: 'orders, version 1' }).waitFor();
    await on.page.getByText('None of 30 rows can be read as they are.').waitFor();
    await on.page.getByText('The rows can be read if message is the text, and kind is the label.').waitFor();
    await on.page.getByLabel('What message is').selectOption('the text');
    await on.page.getByLabel('What kind is').selectOption('its class');
    await on.page.getByLabel('Names of the numbers in kind').fill('late, lost');
    await on.page.keyboard.press('Tab');
    await on.page.getByText('Class: lost').first().waitFor();
    await on.page.reload();
    await on.page.getByText('30 rows are read, with 2 labels to learn from.').waitFor();
    await on.page.getByRole('button', { name: 'Read 30 rows' }).click();
    await on.page.getByText('30 rows with 2 labels to learn from.').waitFor();
    const { body } = await on.api.call('GET', '/felix/datasets/orders/1');
    expect(body).toMatchObject({ status: 'ready', sample_size: 30, labels: ['late', 'lost'] });
  });

  it('show rows that cannot be used by their reasons, and leave them out if told', async () => {
    const good = '{"text":"a","label":"x"}';
    await choose(file('mixed.jsonl', [good, '{"text":"","label":"x"}', good, '{"text":"","label":"x"}'].join('\n')));
    await on.page.getByRole('button', { name: 'Upload', exact: true }).click();
    await on.page.getByText('2 of 4 rows cannot be used.').waitFor();
    const why = on.page.getByRole('region', { name: 'Why rows cannot be used' });
    expect((await why.getByRole('row').nth(1).innerText()).split(/\s+/)).toEqual(['2', '2', 'text', 'is', 'empty']);
    await on.page.getByLabel('Rows that are not valid').selectOption('skip');
    await on.page.getByText('All others are read.').waitFor();
    await on.page.getByRole('button', { name: 'Read 4 rows' }).click();
    await on.page.getByText('2 of 4 rows of the file were left out.').waitFor();
  });

  it('take several files at once, a dataset each', async () => {
    const row = (label: string) => `{"text":"a","label":"${label}"}`;
    await choose(file('first.jsonl', row('x')), file('second.jsonl', '{"text":7}'), file('third.jsonl', row('y')));
    await on.page.getByRole('button', { name: 'Upload 3 files' }).click();
    const done = on.page.getByRole('list', { name: 'Uploaded files' }).getByRole('listitem');
    await done.nth(2).waitFor();
    expect(await done.allInnerTexts()).toEqual([
      'first/1 is read',
      'second/1 waits: say how it is read',
      'third/1 is read',
    ]);
  });
});
