import { uploadDataset } from '#test/support/datasets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

/** In the order of the menu. */
const PAGES = ['Home', 'Datasets', 'Labelling', 'Training', 'Models', 'Playground', 'Review', 'History', 'Batches', 'Log', 'Contents', 'Reports', 'Operate', 'Settings', 'Webhooks', 'People', 'API keys']; // prettier-ignore
const MAX_STEPS = 80;

suite('the console by keyboard only', () => {
  const on = onAPage();
  beforeAll(async () => {
    const rows = ['Ada saw Ghent', 'Bo left Lyon'].map((text) => JSON.stringify({ text, entities: [['Ghent', 'city']].filter(([city]) => text.includes(city!)) })); // prettier-ignore
    await uploadDataset(on.api, { dataset_name: 'visits' }, rows.join('\n'));
  });

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await on.page.keyboard.press(key);
  };
  const focused = () =>
    on.page.evaluate<string>(
      `(({ ariaLabel, innerText, labels }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText ?? '')(document.activeElement)`,
    );
  /** Tab, until what has the focus is called so. */
  const tabTo = async (name: string) => {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      await press('Tab');
      if ((await focused()).trim() === name) return;
    }
    throw new Error(`${MAX_STEPS} times Tab do not lead to ${name}`);
  };

  it('reaches every page by the arrow keys of the palette', async () => {
    await on.page.goto('/console/');
    for (const [place, name] of PAGES.entries()) {
      await on.page.getByRole('heading', { level: 1 }).waitFor();
      await press('Control+k');
      await on.page.getByRole('combobox', { name: 'Page' }).waitFor();
      await press(...Array.from({ length: place }, () => 'ArrowDown'), 'Enter');
      await on.page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    }
  });

  it('labels a row and saves it', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await tabTo('Labelling');
    await press('Enter');
    await on.page.getByRole('heading', { name: 'Labelling', level: 1 }).waitFor();
    await tabTo('visits/1');
    await press('Enter');
    await on.page.getByRole('heading', { name: 'Row 1 of 2' }).waitFor();
    await tabTo('Text to label');
    await press('Home', '1');
    await on.page.getByText('“Ada” is city').waitFor();
    await press('Control+Enter');
    await on.page.getByRole('heading', { name: 'Row 2 of 2' }).waitFor();
    await tabTo('Save as a new version');
    await press('Enter');
    await on.page.getByRole('heading', { name: 'visits, version 2' }).waitFor();
  });
});
