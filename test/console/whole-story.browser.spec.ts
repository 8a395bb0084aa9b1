import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import { jsonLines, runProgram } from '#test/support/run-program.js';
import { CHROMIUM, complaintsOf, hasChromium, startBrowser, visiting } from './browser.js';
import { TICKETS } from './tickets.js';

const suite = hasChromium() ? describe : describe.skip;
const ROOT = join(import.meta.dirname, '../../..');
const ROWS = TICKETS.slice(0, 250).join('\n');

suite(hasChromium() ? 'the console on a started system' : `the console: skipped: there is no ${CHROMIUM}`, () => {
  let directory: string;
  let system: SpawnedSystem;
  let browser: Browser;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-console-'));
    system = await spawnSystem(directory, {});
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await system?.end();
    await rm(directory, { recursive: true, force: true });
  });

  it('leads from the sign-in link to a model that learned from a correction, and proves it by the log', async () => {
    const context = await visiting(browser, system.url);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    const go = (name: string) => page.getByRole('link', { name, exact: true }).click();

    await page.goto(await signInLink());
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    await go('Datasets');
    await go('New dataset');
    await drop(page, 'tickets.jsonl', ROWS);
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('heading', { name: 'tickets, version 1' }).waitFor();
    await page.locator('mark', { hasText: 'Oliver Grant' }).first().waitFor();

    await go('Training');
    await go('Train a model');
    await page.getByLabel('Epochs (optional)').fill('3');
    const events = page.waitForRequest((request) => request.url().endsWith('/events'));
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    expect((await events).resourceType()).toBe('eventsource');
    await page
      .getByText(/^(complete|deployed)$/)
      .first()
      .waitFor();
    await page.getByRole('img', { name: /^After \d+ steps: training loss/ }).waitFor();

    await go('Models');
    await page.getByRole('button', { name: 'New name' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('support');
    await page.getByRole('button', { name: 'Create name' }).click();
    await page.getByRole('button', { name: 'Add as version' }).click();
    await promote(page, 1, 'the first one');

    await go('Playground');
    await page.getByLabel('Model', { exact: true }).selectOption('support');
    await page.getByLabel('Text', { exact: true }).fill('Zorbex order 90210 has not arrived in Ghent.');
    await page.locator('mark', { hasText: '90210' }).waitFor();
    await page.getByRole('button', { name: 'Correct this answer' }).click();
    await page.getByRole('listbox', { name: 'Text to label' }).waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('group', { name: 'Labels' }).getByRole('button', { name: 'product' }).click();
    await page.getByText('“Zorbex” is product').waitFor();
    await page.getByRole('button', { name: /^Save the right answer/ }).click();
    await page.getByText('Saved.').waitFor();

    await go('Models');
    await go('support');
    await page.getByRole('button', { name: 'Learn from corrections' }).click();
    await page.getByText('became version 2').waitFor();
    await page.getByRole('region', { name: 'Rules of the gate' }).waitFor();
    await promote(page, 2, 'it learned from a correction');

    await go('Events');
    await page.getByRole('listitem').filter({ hasText: 'it learned from a correction' }).first().waitFor();
    await page.getByText('Problems found').waitFor();
    await page.getByText('A signed checkpoint covers the first').waitFor();
    await context.close();
    expect(complaints).toEqual([]);
  });

  async function signInLink(): Promise<string> {
    const anneal = join(ROOT, 'apps/cli/bin/anneal.mjs');
    const { out } = await runProgram(anneal, ['sign-in-link', '--json'], { ANNEAL_DATA_DIR: directory });
    return (jsonLines(out)[0] as { signInLink: string }).signInLink;
  }
});

/** Drops a file on the page's place for it. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `(() => { const files = new DataTransfer(); files.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)})); return files; })()`,
  );
  await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer });
}

async function promote(page: Page, version: number, reason: string): Promise<void> {
  await page.getByRole('button', { name: `Promote version ${version}` }).click();
  await page.getByLabel('Reason').fill(reason);
  await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
  await page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: 'Versions' }).click();
  await page.getByRole('cell', { name: reason }).waitFor();
}
