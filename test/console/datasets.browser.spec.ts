import { uploadDataset } from '#test/support/datasets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const rows = (...texts: readonly string[]): string =>
  texts.map((text) => `${JSON.stringify({ text, entities: [['Ghent', 'city']] })}\n`).join('');

suite('datasets in the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    await uploadDataset(on.api, { dataset_name: 'visits' }, rows('Ada saw Ghent.', 'Bo left Ghent.', 'Ada saw Ghent.'));
    await uploadDataset(on.api, { dataset_name: 'tests' }, rows('Bo left Ghent.', 'Cy likes Ghent.'));
  });

  it('show duplicates beside the rows that they repeat, and the rows that leak into a test set', async () => {
    await on.page.goto('/console/datasets/visits/1?tab=report');
    await on.page
      .getByRole('button', { name: 'Show the rows: rows have the text of an earlier row', exact: true })
      .click();
    await on.page.getByText('visits 1, row 3').waitFor();
    await on.page.getByText('visits 1, row 1').waitFor();
    await on.page.getByLabel('Dataset that is measured on').fill('tests 1');
    await on.page.getByRole('button', { name: 'Look for leaks' }).click();
    await on.page.getByText('rows stand in tests 1 too').waitFor();
    await on.page.getByText('tests 1, row 1').waitFor();
  });

  it('are uploaded with the type of their rows, such as chats', async () => {
    const chat = {
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'How far?' },
        { role: 'assistant', content: 'Near.' },
      ],
    };
    await on.page.goto('/console/datasets/new');
    await on.page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    const buffer = Buffer.from(`${JSON.stringify(chat)}\n`);
    await on.page.getByLabel('File').setInputFiles({ name: 'chats.jsonl', mimeType: 'application/x-ndjson', buffer });
    await on.page.getByLabel('Its rows are').selectOption('decoder');
    await on.page.getByRole('button', { name: 'Upload', exact: true }).click();
    await on.page.getByRole('heading', { name: 'chats, version 1' }).waitFor();
    await on.page.getByText('Be brief.').first().waitFor();
    const { body } = await on.api.call('GET', '/felix/datasets/chats/1');
    expect(body).toMatchObject({ dataset_type: 'decoder', status: 'ready' });
  });

  it('are uploaded without the rows that are not valid, and say which', async () => {
    await on.page.goto('/console/datasets/new');
    await on.page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    const buffer = Buffer.from('{"text":"a","label":"x"}\n{"text":"","label":"x"}\n');
    await on.page.getByLabel('File').setInputFiles({ name: 'faulty.jsonl', mimeType: 'application/x-ndjson', buffer });
    await on.page.getByLabel('Rows that are not valid').selectOption('skip');
    await on.page.getByRole('button', { name: 'Upload', exact: true }).click();
    await on.page.getByText('1 of 2 rows of the file were left out.').waitFor();
    await on.page.getByText('text is empty').waitFor();
    await on.page.getByRole('link', { name: 'Download them' }).waitFor();
  });

  it('say what they are for, where they come from, their licence and on what consent, also in lineage', async () => {
    await uploadDataset(on.api, { dataset_name: 'letters' }, rows('Ada saw Ghent.'));
    const said = {
      Purpose: 'To find cities in letters',
      Source: 'The archive of Ghent',
      License: 'CC-BY-4.0',
      Consent: 'Writers agreed in 2029',
    };
    await on.page.goto('/console/datasets/letters/1?tab=description');
    for (const [label, text] of Object.entries(said))
      await on.page.getByRole('textbox', { name: label, exact: true }).fill(text);
    await on.page.getByRole('button', { name: 'Save', exact: true }).click();
    await on.page.getByText('Said by').waitFor();
    await on.page.goto('/console/datasets/letters/1?tab=lineage');
    for (const text of Object.values(said))
      await on.page.getByRole('definition').getByText(text, { exact: true }).waitFor();
    const { body } = await on.api.call('GET', '/lineage/datasets/letters/1');
    expect(body.dataset.described).toMatchObject({
      ...{ purpose: said.Purpose, source: said.Source, license: said.License, consent: said.Consent },
      event: { stream: expect.stringMatching(/^dataset-/) },
    });
    await on.page.getByRole('link', { name: body.dataset.described.event.type, exact: true }).click();
    await on.page.getByText('CC-BY-4.0').first().waitFor();
  });

  it('draw structures and relations as such', async () => {
    const row = {
      text: 'Ada paid Bo 5 euros.',
      json_structures: [{ payment: { amount: '5 euros' } }],
      relations: [{ paid: { head: 'Ada', tail: 'Bo' } }],
    };
    await uploadDataset(on.api, { dataset_name: 'payments' }, `${JSON.stringify(row)}\n`);
    await on.page.goto('/console/datasets/payments/1');
    await on.page.getByRole('definition').getByText('5 euros').waitFor();
    // The report below counts the relations of the rows, once it has come.
    const relation = on.page.getByRole('listitem').filter({ hasText: 'paid' }).filter({ hasText: 'Bo' }).last();
    expect(await relation.innerText()).toMatch(/Ada\s+→\s+paid\s+→\s+Bo/);
  });

  it('are merged, generated live, and labelled by a model, and then shown', async () => {
    const make = async (way: string, fields: Readonly<Record<string, string>>, button: string): Promise<void> => {
      await on.page.goto('/console/datasets/new');
      await on.page.getByRole('button', { name: way }).click();
      for (const [label, value] of Object.entries(fields)) await on.page.getByLabel(label, { exact: true }).fill(value);
      await on.page.getByRole('button', { name: button, exact: true }).click();
    };
    await make('Merge datasets', { 'Name of the dataset': 'all', 'Datasets, one a line': 'visits 1\ntests' }, 'Merge');
    await on.page.getByRole('heading', { name: 'all, version 1' }).waitFor();
    const generated = { 'Name of the dataset': 'made', Labels: 'person, city', Rows: '20' };
    await make('Generate rows', generated, 'Generate');
    await on.page.getByRole('heading', { name: 'made, version 1' }).waitFor();
    const texts = {
      'Name of the dataset': 'labelled',
      Labels: 'person, city',
      'Texts, one a line': 'Maria saw Lisbon.',
    };
    await make('Label texts by a model', texts, 'Label');
    await on.page.getByRole('heading', { name: 'labelled, version 1' }).waitFor();
    await on.page.locator('mark', { hasText: 'Maria' }).waitFor();
  });

  it('show the changes between two versions side by side, and keep the comparison in the address', async () => {
    const visit = (text: string, ...cities: readonly string[]) =>
      JSON.stringify({ text, entities: cities.map((city) => [city, 'city']) });
    const upload = (...lines: readonly string[]) => uploadDataset(on.api, { dataset_name: 'again' }, lines.join('\n'));
    await upload(visit('Ada saw Ghent'), visit('Bo left Lyon', 'Lyon'), visit('Cy stays'));
    await upload(visit('Ada saw Ghent', 'Ghent'), visit('Cy stays'), visit('Di saw Oslo', 'Oslo'));
    await on.page.goto('/console/datasets/again/2?tab=versions');
    const rows = on.page.getByRole('list', { name: 'Rows that differ' }).getByRole('listitem');
    await rows.nth(2).waitFor();
    expect(await rows.count()).toBe(3);
    await rows.nth(0).locator('mark', { hasText: 'Ghent' }).waitFor();
    await rows.nth(1).getByText('Not in version 1.').waitFor();
    await rows.nth(2).getByText('Not in version 2.').waitFor();
    await on.page.getByLabel('Rows', { exact: true }).selectOption('removed');
    await on.page.getByText('Bo left').last().waitFor();
    await rows.nth(1).waitFor({ state: 'detached' });
    await on.page.reload();
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(new URL(on.page.url()).search).toContain('changes=removed');
  });
});
