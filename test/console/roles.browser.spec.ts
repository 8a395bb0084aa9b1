import type { Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { settled } from './axe.js';
import { CHROMIUM, hasChromium, startBrowser, visiting } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { PLACES } from './places.js';

const suite = hasChromium() ? describe : describe.skip;

/** How often the buttons that came of pressing others are pressed too. */
const ROUNDS = 3;

/** Those whose requests change least first: what they press is done. */
const ROLES = ['auditor', 'analyst', 'runner', 'developer'] as const;

/** The page of the system asks for what only the operator sees, which no role tells, and says so in its place. */
const OPERATORS = /^operate[\w-]*: GET \/(runners|queue|settings|settings\/changes)$/;

const PRESS = `(() => {
  for (const form of document.forms) form.noValidate = true;
  const buttons = [...document.querySelectorAll('main button, dialog[open] button')].filter(
    (button) => !button.disabled && button.checkVisibility() && button.dataset.pressed === undefined,
  );
  for (const button of buttons) {
    button.dataset.pressed = '';
    if (button.isConnected) button.click();
  }
  return buttons.length;
})()`;

/** Presses what a page has to press, with its forms as they stand, also what only then appears. */
async function pressAll(page: Page, quiet: () => Promise<void>): Promise<number> {
  let pressed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const count = await page.evaluate<number>(PRESS);
    await quiet();
    pressed += count;
    if (count === 0) break;
  }
  return pressed;
}

suite(hasChromium() ? "a person's role" : `a person's role: skipped: there is no ${CHROMIUM}`, () => {
  let api: TestApi;
  let system: FilledSystem;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    system = await fillSystem(api);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  let people = 0;
  const opened = async (role: string): Promise<Page> => {
    const email = `person-${(people += 1)}@example.com`;
    const owner = { authorization: `Bearer ${api.session}` };
    const { body } = await api.call('PUT', '/workspace/members', { email, role }, owner);
    const page = await (await visiting(browser, api.url)).newPage();
    await page.goto(body.sign_in_link as string);
    return page;
  };

  it('decides what the menu leads to, and what a page that it does not lead to says', async () => {
    const page = await opened('runner');
    await page.goto('/console/models');
    await page.getByRole('heading', { name: 'Not for your role' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await menu.allTextContents()).toEqual(
      [' Playground', ' People', ' API keys'].map((each) => expect.stringContaining(each.trim())),
    );
    await page.context().close();
  });

  it('decides whether a version can be put in use', async () => {
    const [auditor, developer] = [await opened('auditor'), await opened('developer')];
    for (const page of [auditor, developer]) {
      await page.goto(`/console/models/${system.model}?tab=versions`);
      await page.getByRole('heading', { name: 'Versions', exact: true }).waitFor();
    }
    await developer.getByRole('button', { name: 'Give version 1 a label' }).waitFor();
    const changes = (page: Page) => page.getByRole('button', { name: /version 1|Learn from|Save the policy/ }).count();
    expect(await changes(auditor)).toBe(0);
    for (const page of [auditor, developer]) {
      await page.goto(`/console/models/${system.model}`);
      await page.getByRole('heading', { name: 'Policy' }).waitFor();
    }
    await developer.getByRole('button', { name: 'Save the policy' }).waitFor();
    expect([await changes(auditor), await changes(developer)]).toEqual([0, 2]);
    await Promise.all([auditor.context().close(), developer.context().close()]);
  });

  // Last, since what they press is done.
  it.each(ROLES)('shows a %s no button and no page whose request would be refused', async (role) => {
    const page = await opened(role);
    const refused: string[] = [];
    const pending = new Set<unknown>();
    page.on('request', (request) => request.resourceType() === 'fetch' && pending.add(request));
    // An answer may go on for ever.
    page.on('response', (answer) => pending.delete(answer.request()));
    page.on('requestfailed', (request) => pending.delete(request));
    const at: { place: string } = { place: '' };
    page.on('response', (answer) => {
      if (answer.status() === 403)
        refused.push(`${at.place}: ${answer.request().method()} ${new URL(answer.url()).pathname}`);
    });
    const quiet = async (): Promise<void> => void (await eventually(() => pending.size === 0));
    let pressed = 0;
    for (const { name, path } of PLACES) {
      at.place = name;
      await page.goto(`/console${path(system)}`);
      await settled(page);
      pressed += await pressAll(page, quiet);
    }
    expect(refused.filter((each) => !OPERATORS.test(each))).toEqual([]);
    expect(pressed).toBeGreaterThan(0);
    await page.context().close();
  });
});
