import { violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import type { FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';
import { strangeSystem } from './strange-system.js';
import { tooWide } from './too-wide.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the console of a system with long names and labels, long texts, 500 labels, and text from right to left', () => {
  let filled: FilledSystem;
  const on = onAPage();
  beforeAll(async () => {
    filled = await strangeSystem(on.api);
  });

  it('has no page that is wider than its window, from a phone to a wide screen, or violates WCAG 2.2 AA', async () => {
    const violations: string[] = [];
    const look = async (name: string) => void violations.push(...(await violationsOn(on.page, name)));
    expect(await tooWide(on.page, filled, look)).toEqual([]);
    expect(violations).toEqual([]);
  });

  const labels = () => on.page.getByRole('group', { name: 'Labels' });

  it('finds one of the labels by its name, and Enter labels with it', async () => {
    await on.page.goto(`/console/labelling?dataset=${filled.dataset}&version=2&row=4`);
    await on.page.getByText('Entities: 1').waitFor();
    const find = on.page.getByLabel(/^Find one of 50\d labels$/);
    await find.fill('LABEL_499');
    expect(await labels().getByRole('button').allInnerTexts()).toEqual([expect.stringContaining('label_499')]);
    await find.press('Enter');
    await on.page.getByText('Entities: 2').waitFor();
    await find.fill('nothing like this');
    await labels().getByText('No label is called that').waitFor();
  });

  it('moves to the next word of a right-to-left text with the left arrow', async () => {
    await on.page.goto(`/console/labelling?dataset=${filled.dataset}&version=2&row=1`);
    const text = on.page.getByRole('listbox', { name: 'Text to label' });
    await text.focus();
    const direction = await on.page.evaluate("getComputedStyle(document.querySelector('[role=listbox]')).direction");
    expect(direction).toBe('rtl');
    await on.page.keyboard.press('Home');
    const first = await text.getAttribute('aria-activedescendant');
    await on.page.keyboard.press('ArrowLeft');
    const second = await text.getAttribute('aria-activedescendant');
    expect([first?.split('-').at(-1), second?.split('-').at(-1)]).toEqual(['0', '1']);
  });
});
