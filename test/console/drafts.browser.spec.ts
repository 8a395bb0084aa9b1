import type { Locator, Page } from 'playwright-core';
import { startTestApi } from '#test/support/api.js';
import { hasChromium } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const PASSWORD = 'correct horse battery';
const suite = hasChromium() ? describe : describe.skip;

interface Form {
  readonly path: string;
  /** Buttons that lead to it, before and after the reload. */
  readonly open?: readonly string[];
  /** The input, by the label of its field. */
  readonly written: Readonly<Record<string, string>>;
}

const FORMS: Readonly<Record<string, Form>> = {
  'a new key': {
    ...{ path: 'keys', open: ['New key'] },
    written: { Name: 'for a laptop', 'Expires (optional)': '2031-02-03' },
  },
  'an invitation': {
    ...{ path: 'people', open: ['Invite'] },
    written: { 'E-mail': 'ada@example.com', Role: 'auditor' },
  },
  'a new name': { path: 'models', open: ['New name'], written: { Name: 'parcels', 'For (optional)': 'lost parcels' } },
  'the reason of a promotion': {
    ...{ path: 'models/tickets', open: ['Promote version 2'] },
    written: { Reason: 'better on long texts' },
  },
  'the first policy of a name': {
    path: 'models/tickets',
    written: { 'After corrections': '50', 'A version that passes': 'promote', 'Corrected answers (percent)': '9' },
  },
  retention: { path: 'settings', written: { 'Calls (days)': '400' } },
  'a webhook': {
    path: 'webhooks',
    open: ['New webhook'],
    written: { Address: 'https://example.com/', 'Description (optional)': 'builds' },
  },
  'an erasure': { path: 'contents?erase=call', written: { 'Id of the call': 'a-b-c', 'Ticket (optional)': 'case 7' } },
  'a legal hold': {
    ...{ path: 'contents', open: ['Place a hold…'] },
    written: { 'Keep in dialog': 'model', 'Id or name in dialog': 'tickets', 'Reason in dialog': 'case 4471' },
  },
  'the reason of a release': {
    ...{ path: 'contents', open: ['Release the hold: case 1'] },
    written: { 'Reason in dialog': 'settled' },
  },
  'a training': {
    path: 'training',
    written: { "Model's name": 'mine', 'Learning rate': '0.5', 'Begins with': 'anneal/encoder-base-v1', Seed: '7' },
  },
  'a question of leaks': {
    path: 'datasets/tickets/2?tab=report',
    written: { 'Dataset that is measured on': 'tests 2' },
  },
  'the name of an upload': { path: 'datasets', written: { Dataset: 'autumn' } },
  'texts to label': {
    path: 'labelling',
    open: ['Paste texts'],
    written: { Texts: 'one\ntwo', 'Name of their dataset': 'a' },
  },
  'what to find in the playground': { path: 'playground', written: { Entities: 'person, city', Text: 'Ada in Ghent' } },
};

suite('a reload during an edit', () => {
  let filled: FilledSystem;
  const on = onAPage();
  beforeAll(async () => {
    filled = await fillSystem(on.api);
    await on.api.call('POST', `/models/${filled.model}/versions`, { model_id: 'anneal/encoder-base-v1' });
    await on.api.call('POST', '/account/holds', { kind: 'calls', reason: 'case 1' });
    await on.api.drained();
  });

  it.each(Object.entries(FORMS))('keeps all of %s', async (_, { path, open = [], written }) => {
    await on.page.goto(`/console/${path}`);
    await openedBy(on.page, open);
    for (const [label, value] of Object.entries(written)) await write(field(on.page, label), value);
    await on.page.reload();
    await openedBy(on.page, open);
    for (const [label, value] of Object.entries(written)) {
      await field(on.page, label).waitFor();
      expect([label, await field(on.page, label).inputValue()]).toEqual([label, value]);
    }
  });

  it('keeps the scopes of a key, and label descriptions in the playground', async () => {
    await on.page.goto('/console/keys');
    await openedBy(on.page, ['New key']);
    await on.page.getByLabel('look at everything').uncheck();
    await on.page.reload();
    await openedBy(on.page, ['New key']);
    expect(await on.page.getByLabel('call models').isChecked()).toBe(true);
    expect(await on.page.getByLabel('look at everything').isChecked()).toBe(false);
    await on.page.goto('/console/playground');
    await on.page.getByLabel('Entities').fill('person');
    await on.page.getByText('Descriptions (optional)').click();
    await on.page.getByLabel('What person means').fill('a human being');
    await on.page.reload();
    await on.page.getByLabel('What person means').waitFor();
    expect(await on.page.getByLabel('What person means').inputValue()).toBe('a human being');
  });

  it('keeps a correction written as JSON, which can be started over', async () => {
    await on.page.goto(`/console/history/${filled.inferenceId}`);
    await on.page.getByRole('button', { name: 'Fix it' }).click();
    await on.page.getByLabel('Write it as JSON').check();
    const written = on.page.getByLabel('The right answer, as JSON');
    const before = await written.inputValue();
    await written.fill('{"entities": {"city": ["Gh');
    await on.page.reload();
    await written.waitFor();
    expect(await written.inputValue()).toBe('{"entities": {"city": ["Gh');
    await on.page.getByRole('button', { name: 'Begin anew' }).click();
    expect(await written.inputValue()).toBe(before);
  });

  it('keeps the correction of an answer in the playground, without another call', async () => {
    const made = async () => (await on.api.call('GET', '/inferences?limit=1')).body.total as number;
    await on.page.goto('/console/playground?model=tickets');
    await on.page.getByLabel('Text', { exact: true }).fill('Ms Delacroix lives in Hamburg');
    await on.page.getByRole('button', { name: 'Correct this answer' }).click();
    await on.page.getByRole('group', { name: 'Labels' }).waitFor();
    await on.page.getByLabel('Write it as JSON').check();
    await on.page.getByLabel('The right answer, as JSON').fill('{"entities": {}}');
    await on.api.drained();
    const before = await made();
    await on.page.reload();
    await on.page.getByLabel('The right answer, as JSON').waitFor();
    expect(await on.page.getByLabel('The right answer, as JSON').inputValue()).toBe('{"entities": {}}');
    await on.api.drained();
    expect(await made()).toBe(before);
  });
});

suite('an edit', () => {
  const on = onAPage(() => startTestApi({ adminPassword: PASSWORD }));
  const signIn = async (): Promise<void> => {
    await on.page.getByLabel('E-mail').fill('admin@localhost');
    await on.page.getByLabel('Password').fill(PASSWORD);
    await on.page.getByRole('button', { name: 'Sign in' }).click();
    await on.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  };
  const name = () => on.page.getByLabel('Name', { exact: true });

  it('returns after the session has ended and the user signs in again, and is gone after a sign-out', async () => {
    on.expectsRefusal();
    await on.page.goto('/console/keys');
    await openedBy(on.page, ['New key']);
    await name().fill('half a name');
    await on.page.context().clearCookies();
    await on.page.getByRole('button', { name: 'Create key' }).click();
    await signIn();
    await openedBy(on.page, ['New key']);
    expect(await name().inputValue()).toBe('half a name');
    await on.page.keyboard.press('Escape');
    await on.page.getByRole('button', { name: 'Own workspace' }).click();
    await on.page.getByRole('button', { name: 'Sign out' }).click();
    await signIn();
    await openedBy(on.page, ['New key']);
    expect(await name().inputValue()).toBe('');
  });

  it('stays on the page while the system does not answer, and is sent once it does', async () => {
    on.expectsRefusal();
    await on.page.goto('/console/keys');
    await openedBy(on.page, ['New key']);
    await name().fill('sent later');
    await on.page.route('**/create-api-key', (route) => route.abort());
    await on.page.getByRole('button', { name: 'Create key' }).click();
    await on.page.getByRole('alert').getByText('does not answer').waitFor();
    expect(await name().inputValue()).toBe('sent later');
    await on.page.unrouteAll({ behavior: 'ignoreErrors' });
    await on.page.getByRole('button', { name: 'Create key' }).click();
    await on.page.getByLabel('The new key').waitFor();
  });
});

async function openedBy(page: Page, buttons: readonly string[]): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const name of buttons) await page.getByRole('button', { name, exact: true }).first().click();
}

function field(page: Page, label: string): Locator {
  const [name = '', isInDialog] = label.split(' in dialog').map((part, index) => (index === 0 ? part : true)) as [string, boolean?]; // prettier-ignore
  const within = isInDialog ? page.getByRole('dialog') : page.locator('main');
  return within.getByLabel(name, { exact: true });
}

async function write(at: Locator, value: string): Promise<void> {
  await at.waitFor({ state: 'attached' });
  if (await at.evaluate((element) => element.tagName === 'SELECT')) return void (await at.selectOption(value));
  // A folded section is opened first.
  if (!(await at.isVisible())) await at.evaluate((element) => element.closest('details')?.setAttribute('open', ''));
  await at.fill(value);
}
