import { settled, uploadDataset } from '#test/support/datasets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('labelling in the console', () => {
  const on = onAPage();

  const rowsOf = async (name: string, version: number) => {
    await settled(on.api, `/felix/datasets/${name}/${version}`);
    return (await on.api.call('GET', `/felix/datasets/${name}/${version}/preview?limit=100`)).body.rows;
  };
  const row = (title: string) => on.page.getByRole('heading', { name: title }).waitFor();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await on.page.keyboard.press(key);
  };
  /** The keyboard goes to the text once that is there. */
  const inText = () => on.page.locator('[aria-label="Text to label"]:focus').waitFor();

  it('accepts pasted texts, which a model labels first, and saves them as a new version', async () => {
    await on.page.goto('/console/labelling');
    await on.page.getByRole('button', { name: 'Paste texts' }).click();
    await on.page.getByLabel('Texts', { exact: true }).fill('Maria flew to Lisbon.\nZorb flew to Lisbon.\nNothing.\n');
    await on.page.getByLabel('Name of their dataset').fill('pasted');
    await on.page.getByRole('button', { name: 'Begin' }).click();
    await row('Row 1 of 3');
    await on.page.getByLabel('A model labels first').selectOption('anneal/encoder-base-v1');
    await on.page.getByLabel('Entities', { exact: true }).fill('city, airline');
    await on.page
      .getByRole('listitem')
      .getByText(/Lisbon city, confidence \d/)
      .waitFor();
    await on.page.getByRole('button', { name: 'Accept, next' }).click();
    await row('Row 2 of 3');
    await inText();
    await press('Home', '2');
    await on.page.getByText('“Zorb” is airline').waitFor();
    // In mid-edit.
    await on.page.reload();
    await on.page.getByRole('listitem').getByText('Zorb airline').waitFor();
    await inText();
    await press('Control+Enter');
    await row('Row 3 of 3');
    await on.page.getByRole('button', { name: 'Skip' }).click();
    await on.page.getByText('1 accepted, 1 corrected, 1 skipped').waitFor();
    await on.page.getByRole('button', { name: 'Save as a new version' }).click();
    await on.page.getByRole('heading', { name: 'pasted, version 2' }).waitFor();
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

  it('keeps what two tabs label in one dataset, and saves all of it', async () => {
    const cities = ['Rome', 'Oslo', 'Lima'];
    const rows = cities.map((city) => JSON.stringify({ text: `I live in ${city}`, label: 'other' }));
    await uploadDataset(on.api, { dataset_name: 'tabs' }, rows.join('\n'));
    const second = await on.page.context().newPage();
    const tabs = [on.page, second];
    for (const [index, tab] of tabs.entries()) {
      await tab.goto(`/console/labelling?dataset=tabs&version=1&row=${index + 1}`);
      await tab.getByRole('button', { name: 'Accept, next' }).waitFor();
    }
    for (const [index, tab] of tabs.entries()) {
      await tab.getByRole('button', { name: 'Accept, next' }).click();
      await tab.getByText(`${index + 1} accepted`).waitFor();
    }
    await on.page.getByText('2 accepted, 0 corrected, 0 skipped, 1 to go').waitFor();
    await on.page.reload();
    await on.page.getByText('2 accepted, 0 corrected, 0 skipped, 1 to go').waitFor();
    // What the second tab labels while the first one saves is not lost with what was saved.
    const saving = Promise.withResolvers<void>();
    await on.page.route('**/felix/datasets/upload/url', async (route) => {
      await saving.promise;
      await route.continue();
    });
    await on.page.getByRole('button', { name: 'Save as a new version' }).click();
    await second.getByRole('button', { name: 'Skip' }).click();
    await second.getByText('1 skipped').waitFor();
    saving.resolve();
    await on.page.getByRole('heading', { name: 'tabs, version 2' }).waitFor();
    await second.getByText('0 accepted, 0 corrected, 1 skipped').waitFor();
    await second.close();
  });

  it('shows guidelines with examples beside the text, which all who label the dataset see', async () => {
    const rows = [
      { text: 'I live in Rome', entities: [['Rome', 'city']] },
      { text: 'I left Oslo', entities: [['Oslo', 'city']] },
    ];
    await uploadDataset(on.api, { dataset_name: 'guided' }, rows.map((each) => JSON.stringify(each)).join('\n'));
    await on.page.goto('/console/labelling?dataset=guided&version=1');
    await on.page.getByText('Nobody has written how these rows are to be labelled.').waitFor();
    await on.page.getByRole('button', { name: 'Write' }).click();
    await on.page.getByRole('textbox', { name: 'Guidelines', exact: true }).fill('Cities only.\nNo countries.');
    await on.page.getByRole('button', { name: 'Save the guidelines' }).click();
    await on.page
      .getByRole('paragraph')
      .filter({ hasText: /Cities only\.\s+No countries\./ })
      .waitFor();
    await on.page.getByText('Examples', { exact: true }).click();
    // The row on the screen is no example of itself.
    await on.page.getByRole('definition').filter({ hasText: 'I left Oslo' }).waitFor();
    await uploadDataset(on.api, { dataset_name: 'guided' }, JSON.stringify(rows[0]));
    await on.page.goto('/console/labelling?dataset=guided&version=2');
    await on.page
      .getByRole('paragraph')
      .filter({ hasText: /Cities only\.\s+No countries\./ })
      .waitFor();
  });

  it('shares the rows among people, each of whom saves their own part, and tells how far each has come', async () => {
    const rows = Array.from({ length: 6 }, (_, row) =>
      JSON.stringify({ text: `Parcel ${row} is late`, label: 'late' }),
    );
    await uploadDataset(on.api, { dataset_name: 'shared' }, rows.join('\n'));
    const { email } = (await on.page.request.get(`${on.api.url}/auth/session`).then((answer) => answer.json())) as {
      email: string;
    };
    await on.page.goto('/console/labelling?dataset=shared&version=1');
    await on.page.getByRole('button', { name: 'Share the rows' }).click();
    const dialog = on.page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'People' }).fill(`${email}\nbo@example.org`);
    await dialog.getByLabel('Labelled by two people (percent of the rows)').fill('0');
    await dialog.getByRole('button', { name: 'Share the rows' }).click();
    const person = (name: string) => on.page.getByRole('row', { name: new RegExp(`^${name}, 50%`) });
    await person(email).getByText('0 of 3').waitFor();
    await person('bo@example.org').getByText('0 of 3').waitFor();
    for (const done of [1, 2, 3]) {
      await on.page.getByRole('button', { name: 'Accept, next' }).click();
      await on.page.getByText(`${done} accepted, 0 corrected, 0 skipped, ${3 - done} to go`).waitFor();
    }
    const address = new URL(on.page.url()).search;
    const own = await on.page.getByRole('textbox', { name: 'Dataset', exact: true }).inputValue();
    await on.page.getByRole('button', { name: 'Save as a new version' }).click();
    await on.page.getByRole('heading', { name: `${own}, version 1` }).waitFor();
    expect(await rowsOf(own, 1)).toHaveLength(3);
    await on.page.goto(`/console/labelling${address}`);
    await person(email).getByText('3 of 3').waitFor();
  });

  it('has a model answer all rows, shows the uncertain ones first, and accepts the certain ones together', async () => {
    const texts = ['Nothing at all.', 'Maria flew to Lisbon.', 'Maria Lopez lives in Madrid.'];
    await uploadDataset(
      on.api,
      { dataset_name: 'ahead', dataset_type: 'custom' },
      texts.map((text) => JSON.stringify({ text })).join('\n'),
    );
    await on.page.goto('/console/labelling?dataset=ahead&version=1');
    await on.page.getByLabel('Entities', { exact: true }).fill('city, person');
    await on.page.getByLabel('A model labels first').selectOption('anneal/encoder-base-v1');
    await on.page.getByLabel('Order of the rows').selectOption('uncertain');
    await on.page.getByText('3 of 3 rows without labels answered').waitFor();
    await on.page.getByLabel('Sure from a confidence of (percent)').fill('1');
    const together = on.page.getByRole('button', { name: /^Accept \d rows? as answered$/ });
    const count = Number(/\d/.exec(await together.innerText())![0]);
    expect(count).toBeGreaterThan(0);
    await together.click();
    await on.page.getByText(`${count} accepted, 0 corrected, 0 skipped, ${3 - count} to go`).waitFor();
    await on.page.getByRole('button', { name: /^Take back the/ }).click();
    await on.page.getByText('0 accepted, 0 corrected, 0 skipped, 3 to go').waitFor();
  });

  it('selects whole words by mouse, and labels them with buttons only', async () => {
    const row1 = { text: 'Maria Lopez of Acme wrote', entities: [['Acme', 'company']] };
    await uploadDataset(on.api, { dataset_name: 'mouse' }, JSON.stringify(row1));
    await on.page.goto('/console/labelling?dataset=mouse&version=1');
    const middle = async (word: string) => {
      const box = (await on.page.getByRole('option', { name: word }).boundingBox())!;
      return [box.x + box.width / 2, box.y + box.height / 2] as const;
    };
    await on.page.mouse.move(...(await middle('Maria')));
    await on.page.mouse.down();
    await on.page.mouse.move(...(await middle('Lopez')), { steps: 3 });
    await on.page.mouse.up();
    await on.page.getByText('“Maria Lopez” is selected').waitFor();
    await on.page.getByRole('group', { name: 'Labels' }).getByRole('button', { name: 'company' }).click();
    await on.page.getByText('“Maria Lopez” is company').waitFor();
    await on.page.getByRole('button', { name: 'End earlier' }).click();
    await on.page.getByText('“Maria” is company').waitFor();
    await on.page.getByRole('button', { name: 'Remove “Acme”, company' }).click();
    await on.page.getByText('“Acme” is no longer company').waitFor();
    await on.page.getByRole('button', { name: 'Undo' }).click();
    await on.page.getByRole('button', { name: 'Remove “Acme”, company' }).waitFor();
  });

  it('hides the labels of the first pass from the second, then shows the differences, and saves the decisions', async () => {
    const first = [
      { text: 'Anna is in Rome', entities: [['Rome', 'city']], label: 'travel', id: 7 },
      { text: 'Boris likes Oslo', entities: [['Boris', 'person']], label: 'other' },
    ];
    await uploadDataset(on.api, { dataset_name: 'twice' }, first.map((each) => JSON.stringify(each)).join('\n'));
    await on.page.goto('/console/labelling?dataset=twice&version=1&pass=blind');
    await row('Row 1 of 2');
    await on.page.getByText('No entities yet').waitFor();
    expect(await on.page.getByRole('radio', { checked: true }).count()).toBe(0);
    await inText();
    await press('End', '1');
    await on.page.getByText('“Rome” is city').waitFor();
    await on.page.getByRole('radio', { name: 'travel' }).check();
    await on.page.getByRole('button', { name: 'Correct, next' }).click();
    await row('Row 2 of 2');
    await inText();
    await press('End', '1');
    await on.page.getByText('“Oslo” is city').waitFor();
    await on.page.getByRole('radio', { name: 'other' }).check();
    await on.page.getByRole('button', { name: 'Correct, next' }).click();
    await on.page.getByText('2 corrected').waitFor();
    await on.page.getByRole('button', { name: 'Save as a new version' }).click();
    await on.page.getByRole('heading', { name: 'twice-second, version 1' }).waitFor();
    await on.page.goto('/console/labelling?dataset=twice&version=1&second=twice-second%2F1');
    await on.page.getByRole('heading', { name: '1 text on which they differ' }).waitFor();
    await on.page.getByRole('region', { name: 'Second pass, row 2' }).getByRole('button').click();
    await on.page.getByText('Row 2, decided').waitFor();
    await on.page.getByRole('button', { name: /^Back to the rows/ }).click();
    await on.page.getByText('1 corrected').waitFor();
    await on.page.getByRole('button', { name: 'Save as a new version' }).click();
    await on.page.getByRole('heading', { name: 'twice, version 2' }).waitFor();
    expect(await rowsOf('twice', 2)).toEqual([
      first[0],
      { text: 'Boris likes Oslo', entities: [{ text: 'Oslo', label: 'city', start: 12, end: 16 }], label: 'other' },
    ]);
  });
});
