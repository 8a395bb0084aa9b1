import { CHROMIUM, hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? 'a newcomer with only the console' : `the console: skipped: there is no ${CHROMIUM}`, () => {
  const on = onAPage();

  it('is led from nothing to a trained model', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('button', { name: 'Use the sample' }).click();
    await on.page.getByRole('button', { name: 'Train on tickets' }).click();
    // A busy machine trains for longer than a page is waited for.
    const jobs = async () => (await on.api.call('GET', '/felix/training-jobs')).body.training_jobs;
    await on.api.until(jobs, ([job]) => job?.is_terminal_status === true);
    await on.page.getByRole('button', { name: 'Ask', exact: true }).click();
    await on.page.locator('mark', { hasText: '90210' }).waitFor();
    // The suggested text is answered right, beside the figure and the rows behind it.
    await on.page.getByText('delivery', { exact: true }).waitFor();
    await on.page.getByText(/^F1 [\d.]+% on \d+ rows that it did not learn from/).waitFor();
    await on.page.getByRole('button', { name: 'Correct this answer' }).waitFor();
    await on.page.getByRole('heading', { name: 'What comes next' }).waitFor();
    await on.page.getByRole('button', { name: 'Copy as code' }).click();
    await on.page.getByLabel('The call in curl').getByText('"model_id": "tickets"').waitFor();
    await on.page.keyboard.press('Escape');
    await on.page.getByRole('link', { name: 'Training' }).click();
    await on.page.getByRole('link', { name: 'tickets' }).click();
    await on.page
      .getByText(/^(complete|deployed)$/)
      .first()
      .waitFor();
    await on.page.getByRole('link', { name: /^Labels/ }).click();
    await on.page.getByRole('heading', { name: 'By label, on rows held out' }).waitFor();
  });

  it('uploads a file and sees its rows, or why it was refused', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('link', { name: 'Datasets' }).click();
    await on.page.getByRole('link', { name: 'New dataset' }).click();
    const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
    await on.page
      .getByLabel('File')
      .setInputFiles(file('my visits.jsonl', '{"text": "Ada went to Ghent.", "entities": [["Ghent", "city"]]}\n'));
    await on.page.getByRole('button', { name: 'Upload' }).click();
    await on.page.getByRole('heading', { name: 'my-visits, version 1' }).waitFor();
    await on.page.getByText('Ada went to').waitFor();
    expect(await on.page.locator('mark').innerText()).toBe('Ghentcity');
    await on.page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Datasets' })
      .click();
    await on.page.getByRole('link', { name: 'New dataset' }).click();
    await on.page.getByLabel('File').setInputFiles(file('wrong.jsonl', '{"text": 7}\n'));
    await on.page.getByRole('button', { name: 'Upload' }).click();
    await on.page.getByRole('alert').getByText('text must be a string').waitFor();
  });

  it('names the model, promotes it, and reads the reason in its events', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('link', { name: 'Models' }).click();
    await on.page.getByRole('button', { name: 'New name' }).click();
    await on.page.getByRole('textbox', { name: 'Name', exact: true }).fill('support');
    await on.page.getByRole('button', { name: 'Create name' }).click();
    await on.page.getByRole('button', { name: 'Add as version' }).click();
    await on.page.getByRole('button', { name: 'Promote version 1' }).click();
    await on.page.getByLabel('Reason').fill('it is the first one');
    await on.page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await on.page.getByRole('cell', { name: 'it is the first one' }).waitFor();
    await on.page.getByRole('link', { name: 'Events' }).click();
    await on.page.getByRole('listitem').filter({ hasText: 'model-version-promoted' }).first().waitFor();
    const answer = await on.api.call('POST', '/inference', { model_id: 'support', text: 'Where is order 90210?' });
    expect(answer.status).toBe(200);
  });
});
