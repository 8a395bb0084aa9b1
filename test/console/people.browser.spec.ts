import { violationsOn } from './axe.js';
import { CHROMIUM, hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite(hasChromium() ? "the console's page of people" : `the page of people: skipped: there is no ${CHROMIUM}`, () => {
  const on = onAPage();

  it('invites an auditor by a link, who sets a password, sees the members, and is removed again', async () => {
    await on.page.goto('/console/people');
    await on.page.getByRole('button', { name: 'Invite' }).click();
    await on.page.getByLabel('E-mail').fill('grace@example.com');
    await on.page.getByLabel('Role', { exact: true }).selectOption('auditor');
    await on.page.getByRole('button', { name: 'Give the role' }).click();
    const said = on.page.getByRole('status').filter({ hasText: 'grace@example.com is auditor here' });
    await said.waitFor();
    const link = /http\S+sign-in\?token=[\w-]{43}/.exec((await said.textContent()) ?? '')?.[0];

    const hers = await (await on.browser.newContext()).newPage();
    await hers.goto(link!);
    await hers.goto(`${on.api.url}/console/people`);
    await hers.getByRole('cell', { name: 'auditor' }).waitFor();
    expect(await hers.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    await hers.getByRole('button', { name: 'Set a password' }).click();
    await hers.getByLabel('New password').fill('a horse of her own');
    await hers.getByRole('button', { name: 'Set password' }).click();
    await hers.getByText('Your password is set.').waitFor();

    await on.page.getByRole('button', { name: 'Done' }).click();
    await on.page.getByRole('button', { name: 'Remove grace@example.com' }).click();
    await on.page.getByRole('button', { name: 'Remove', exact: true }).click();
    await on.page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor({ state: 'detached' });
    await hers.reload();
    await hers.getByRole('heading', { name: 'Sign in to Anneal' }).waitFor();
    await hers.context().close();
  });

  it('tells a person with the inference role which pages the role lacks, and where it can go', async () => {
    const session = { authorization: `Bearer ${on.api.session}` };
    const given = await on.api.call('PUT', '/workspace/members', { email: 'rob@example.com', role: 'runner' }, session);
    const his = await (await on.browser.newContext()).newPage();
    await his.goto(given.body.sign_in_link);
    for (const page of ['', 'datasets', 'training', 'models', 'history', 'log', 'operate']) {
      await his.goto(`${on.api.url}/console/${page}`);
      await his.getByRole('heading', { name: 'Not for your role' }).waitFor();
      await his.getByRole('main').getByRole('link', { name: 'Playground' }).waitFor();
    }
    expect(await violationsOn(his, 'operate of a runner')).toEqual([]);
    await his.context().close();
  });
});
