import { TrainingClient } from '#test/support/training-client.js';
import { violationsOn } from './axe.js';
import { hasChromium } from './browser.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

/** Page and button that open each dialog; the palette has keys. */
const DIALOGS: readonly (readonly [path: string, button: string])[] = [
  ['training/:job', 'Stop'],
  ['training/:trained', 'Deploy'],
  ['review', 'Assign'],
  ['labelling', 'Paste texts'],
  ['labelling?dataset=tickets&version=2', 'Other rows'],
  ['labelling?dataset=tickets&version=2', 'Write'],
  ['labelling?dataset=tickets&version=2', 'Share the rows'],
  ['keys', 'New key'],
  ['keys', 'Revoke bootstrap'],
  ['keys', 'Limits of bootstrap'],
  ['playground', 'Copy as code'],
  ['models', 'New name'],
  ['webhooks', 'New webhook'],
  ['models/tickets', 'Promote version 2'],
  ['models/tickets?tab=versions', 'Share traffic with version 2'],
  ['models/tickets?tab=versions', 'Shadow with version 2'],
  ['models/tickets?tab=versions', 'Give version 2 a label'],
  ['models/tickets', 'Take it all the same'],
  ['people', 'Invite'],
  ['people', 'Set a password'],
  ['people', 'Remove ada@example.com'],
  ['contents', 'Release the hold: case 4471'],
  ['webhooks/:webhook', 'Rotate the secret'],
  ['webhooks/:webhook', 'Delete'],
];

suite('the dialogs of the console', () => {
  const on = onAPage();
  let job: string;
  let filled: FilledSystem;
  beforeAll(async () => {
    filled = await fillSystem(on.api);
    await on.api.call('POST', `/models/${filled.model}/versions`, { model_id: 'anneal/encoder-base-v1' });
    const session = { authorization: `Bearer ${on.api.session}` };
    await on.api.call('PUT', '/workspace/members', { email: 'ada@example.com', role: 'analyst' }, session);
    await on.api.call('POST', '/account/holds', { kind: 'calls', reason: 'case 4471' }, session);
    await on.api.call('PUT', '/models/tickets/policy', { min_corrections: 100 });
    const { id } = (await on.api.call('POST', '/models/tickets/improve', {})).body;
    await on.api.until(
      async () => (await on.api.call('GET', `/improvements/${id}`)).body,
      ({ outcome }) => outcome === 'rejected',
    );
    const training = new TrainingClient(on.api);
    // Longer than the tests take on any machine.
    job = (
      await training.start({
        ...{ model_name: 'long', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'tickets' }] },
        ...{ nr_epochs: 200, early_stopping_patience: 0 },
      })
    ).id;
    await on.api.drained();
  });

  it.each(DIALOGS)('on /%s: “%s” keeps the focus, passes WCAG 2.2 AA, and closes on Escape', async (path, name) => {
    const ids = { ':job': job, ':trained': filled.jobId, ':webhook': filled.webhookId };
    const place = Object.entries(ids).reduce((at, [of, id]) => at.replace(of, id), path);
    await on.page.goto(`/console/${place}`);
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
  });

  it('the palette passes WCAG 2.2 AA', async () => {
    await on.page.goto('/console/');
    await on.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await on.page.keyboard.press('Control+k');
    await on.page.getByRole('combobox', { name: 'Page' }).waitFor();
    expect(await violationsOn(on.page, 'palette')).toEqual([]);
  });
});
