import { violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

/** Page and button that open each dialog; the palette has keys. */
const DIALOGS: readonly (readonly [path: string, button: string])[] = [
  ['review', 'Assign'],
  ['labelling', 'Paste texts'],
  ['keys', 'Revoke bootstrap'],
  ['playground', 'Copy as code'],
  ['models/tickets', 'Promote version 2'],
  ['models/tickets', 'Share traffic with version 2'],
  ['models/tickets', 'Shadow with version 2'],
  ['models/tickets', 'Give version 2 a label'],
];

suite('the dialogs of the console', () => {
  const on = onAPage();
  beforeAll(async () => {
    const filled: FilledSystem = await fillSystem(on.api);
    await on.api.call('POST', `/models/${filled.model}/versions`, { model_id: 'anneal/encoder-base-v1' });
    await on.api.drained();
  });

  it.each(DIALOGS)(
    'on /%s: “%s” keeps the focus, violates nothing of WCAG 2.2 AA, and Escape closes it',
    async (path, name) => {
      await on.page.goto(`/console/${path}`);
      const button = on.page.getByRole('button', { name, exact: true }).first();
      await button.focus();
      await on.page.keyboard.press('Enter');
      const dialog = on.page.getByRole('dialog');
      await dialog.waitFor();
      expect(await violationsOn(on.page, name)).toEqual([]);
      for (let times = 0; times < 12; times += 1) {
        await on.page.keyboard.press('Tab');
        expect(await on.page.evaluate('document.activeElement === document.body || !!document.activeElement.closest("dialog")')).toBe(true); // prettier-ignore
      }
      await on.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await button.and(on.page.locator(':focus')).count()).toBe(1);
    },
  );

  it('the palette violates nothing of WCAG 2.2 AA', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await on.page.keyboard.press('Control+k');
    await on.page.getByRole('combobox', { name: 'Page' }).waitFor();
    expect(await violationsOn(on.page, 'palette')).toEqual([]);
  });
});
