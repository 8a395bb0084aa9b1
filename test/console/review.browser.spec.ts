import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const TEXT = 'Then 🙂 Maria Lopez of Acme wrote to us from New York.';
const hit = (text: string, start: number) => ({ text, start, end: start + text.length });

suite('review in the console', () => {
  const on = onAPage();

  /** Calls that wait in a queue of their own. @returns their ids */
  async function calls(...texts: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const text of texts) {
      const schema = ['person', 'company', 'city'];
      const { body } = await on.api.call('POST', '/inference', { model_id: 'anneal/encoder-base-v1', text, schema });
      ids.push(body.inference_id);
    }
    await on.api.drained();
    return ids;
  }

  const feedback = async (id: string) => (await on.api.call('GET', `/inferences/${id}/feedback`)).body;
  const textBox = () => on.page.getByRole('listbox', { name: 'Text to label' });
  const rest = async (): Promise<string> =>
    (await on.page.getByRole('heading', { level: 2 }).first().textContent()) ?? '';

  it('corrects an answer by keyboard only, and a reload keeps the edit', async () => {
    const [id = ''] = await calls(TEXT);
    await on.page.goto('/console/review?strategy=random');
    await on.page.getByRole('button', { name: 'Fix it' }).waitFor();
    await on.page.keyboard.press('e');
    await textBox().waitFor();
    // The model's entities are removed, and three are labelled.
    const found = await on.page.getByRole('region', { name: 'Entities' }).getByRole('listitem').count();
    for (let removed = 0; removed < found; removed += 1) {
      const left = on.page.getByRole('region', { name: 'Entities' }).getByRole('listitem');
      await left.nth(found - removed - 1).waitFor();
      await on.page.keyboard.press('Home');
      for (let word = 0; word < 14; word += 1) {
        await on.page.keyboard.press('Delete');
        await on.page.keyboard.press('ArrowRight');
      }
      if ((await left.count()) === 0) break;
    }
    await on.page.getByText('No entities yet').waitFor();
    await on.page.keyboard.press('Home');
    for (let word = 0; word < 2; word += 1) await on.page.keyboard.press('ArrowRight');
    await on.page.keyboard.press('Shift+ArrowRight');
    await on.page.getByRole('status').getByText('“Maria Lopez” is selected').waitFor();
    await on.page.keyboard.press('1');
    await on.page.getByRole('status').getByText('“Maria Lopez” is person').waitFor();
    await on.page.reload();
    await on.page.getByRole('listitem').getByText('Maria Lopez').waitFor();
    for (let word = 0; word < 5; word += 1) await on.page.keyboard.press('ArrowRight');
    await on.page.keyboard.press('2');
    await on.page.getByRole('status').getByText('“Acme” is company').waitFor();
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByText('These are done: 1 judged').waitFor();
    const { verdicts } = await feedback(id);
    expect(verdicts).toEqual([
      expect.objectContaining({
        verdict: 'incorrect',
        corrected_output: { entities: { person: [hit('Maria Lopez', 7)], company: [hit('Acme', 22)], city: [] } },
      }),
    ]);
  });

  it('judges and skips by keys, and a reload stays at the current call', async () => {
    const ids = await calls('Anna is in Rome.', 'Boris is in Oslo.', 'Chen is in Lima.');
    await on.page.goto('/console/review?strategy=random');
    await on.page.getByText('3 to go').waitFor();
    await on.page.keyboard.press('c');
    await on.page.getByText('2 to go').waitFor();
    const shown = await on.page.locator('mark').first().textContent();
    await on.page.reload();
    await on.page.getByText('2 to go').waitFor();
    expect(await on.page.locator('mark').first().textContent()).toBe(shown);
    expect(await rest()).toBe('1 of 2');
    await on.page.keyboard.press('u');
    await on.page.getByText('1 to go').waitFor();
    await on.page.keyboard.press('s');
    await on.page.getByText(/These are done: \d judged, 1 skipped/).waitFor();
    const verdicts: string[] = [];
    for (const id of ids) {
      const given = await on.api.call('GET', `/inferences/${id}/feedback`);
      verdicts.push(given.status === 200 ? given.body.human_verdict : 'none');
    }
    expect(verdicts.toSorted()).toEqual(['correct', 'none', 'unsure']);
  });

  it('reads no key as a verdict while a correction is open, wherever the focus is', async () => {
    const [id = ''] = await calls('Fay is in Bonn.');
    await on.page.goto('/console/review?strategy=random');
    await on.page.getByRole('button', { name: 'Fix it' }).waitFor();
    await on.page.keyboard.press('e');
    await textBox().waitFor();
    await on.page.getByRole('heading', { level: 1 }).click();
    await on.page.keyboard.press('c');
    await on.page.keyboard.press('s');
    await textBox().focus();
    await on.page.keyboard.press('Home');
    await on.page.keyboard.press('2');
    await on.page.getByRole('status').getByText('“Fay” is company').waitFor();
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByText(/These are done: \d judged/).waitFor();
    expect((await feedback(id)).verdicts).toEqual([expect.objectContaining({ verdict: 'incorrect' })]);
  });

  it('takes a verdict back, beside the next answer, from the list of the last ones, and by a key', async () => {
    const ids = await calls('Gil is in Kiel.', 'Hal is in Bern.');
    await on.page.goto('/console/review?strategy=random');
    await on.page.getByText('2 to go').waitFor();
    const given = async () =>
      await Promise.all(ids.map(async (id) => (await on.api.call('GET', `/inferences/${id}/feedback`)).status));
    await on.page.keyboard.press('u');
    await on.page.getByText('1 to go').waitFor();
    await on.page.getByRole('button', { name: 'Take the last verdict back' }).click();
    await on.page.getByText('2 to go').waitFor();
    expect(await given()).toEqual([404, 404]);
    await on.page.keyboard.press('u');
    await on.page.getByText('1 to go').waitFor();
    await on.page.keyboard.press('u');
    await on.page.getByText('These are done').waitFor();
    expect(await given()).toEqual([200, 200]);
    await on.page.reload();
    await on.page.getByText('Your last').click();
    const last = on.page.getByRole('list', { name: 'Last verdicts' });
    await last.getByRole('button', { name: 'Take back: Gil' }).click();
    await on.page.getByText('1 to go').waitFor();
    await on.page.keyboard.press('z');
    await on.page.getByText('Your last').waitFor({ state: 'detached' });
    expect(await given()).toEqual([404, 404]);
    await on.page.reload();
    await on.page.getByText('2 to go').waitFor();
    await on.page.keyboard.press('c');
    await on.page.getByText('1 to go').waitFor();
    await on.page.keyboard.press('c');
    await on.page.getByText('These are done').waitFor();
  });

  it('reserves the current call, and shows how far two reviewers agree', async () => {
    const [id = ''] = await calls('Dora is in Kyiv.');
    await on.page.goto('/console/review?strategy=random&reviewer=Ann');
    await on.page.getByRole('button', { name: 'Fix it' }).waitFor();
    const others = async () => (await on.api.call('GET', '/review?strategy=random&reviewer=Ben')).body.items;
    await on.api.until(others, (items) => items.length === 0);
    await on.page.keyboard.press('c');
    await on.page.getByText('These are done').waitFor();
    await on.api.call('POST', `/inferences/${id}/feedback`, { verdict: 'unsure', reviewer: 'Ben' });
    await on.api.drained();
    await on.page.reload();
    await on.page.getByRole('cell', { name: 'Ann and Ben' }).waitFor();
    await on.page.getByText('1 calls on which they differ').click();
    await on.page.getByRole('link', { name: id }).waitFor();
  });

  it('assigns a call to a reviewer, and shows it to no other', async () => {
    const [id = ''] = await calls('Emil is in Quito.');
    await on.page.goto('/console/review?strategy=random');
    await on.page.getByRole('button', { name: 'Assign' }).click();
    await on.page.getByLabel('Reviewer', { exact: true }).last().fill('Cleo');
    await on.page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
    await on.page.getByText('These are done').waitFor();
    await on.page.goto('/console/review?strategy=random&assigned=yes&reviewer=Cleo');
    await on.page.getByText('assigned to Cleo').waitFor();
    await on.page.keyboard.press('c');
    await on.page.getByText('These are done').waitFor();
    expect((await feedback(id)).verdicts).toEqual([expect.objectContaining({ reviewer: 'Cleo', verdict: 'correct' })]);
  });
});
