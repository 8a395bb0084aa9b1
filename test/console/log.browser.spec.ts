import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the log in the console', () => {
  const on = onAPage();

  const project = async (name: string) => (await on.api.call('POST', '/projects', { name })).body.id as string;
  const contents = () => on.page.getByRole('listitem').filter({ hasText: 'project-created.v1' });

  it('shows an event at once, above the earlier ones, and resumes where it was paused', async () => {
    await project('first');
    await on.page.goto('/console/log?type=project-created.v1');
    await on.page.getByText('live', { exact: true }).waitFor();
    await project('second');
    await contents().nth(1).waitFor();
    await contents()
      .first()
      .getByRole('button', { name: /^Content/ })
      .click();
    await on.page.getByText('"second"').waitFor();
    await on.page.getByRole('button', { name: 'Pause' }).click();
    await on.page.getByText('paused', { exact: true }).waitFor();
    await project('third');
    await on.page.getByRole('button', { name: 'Go on live' }).click();
    await contents().nth(2).waitFor();
    expect(await contents().count()).toBe(3);
  });

  it('says who caused an event by the name of the key, with its id on hover', async () => {
    await project('by a key');
    const { keys } = (await on.api.call('GET', '/list-api-keys')).body;
    await on.page.goto('/console/log?type=project-created.v1');
    const by = contents().first().locator('a[title^="key:"]');
    const id = (await by.getAttribute('title'))!.slice('key:'.length);
    const { name } = keys.find((key: { id: string }) => key.id === id);
    await contents().first().getByRole('link', { name, exact: true }).waitFor();
  });

  it('keeps the selection in the address: type, cause, request, time', async () => {
    on.expectsRefusal();
    const openFilters = () => on.page.getByRole('button', { name: 'Filters', exact: true }).click();
    await on.page.goto('/console/log');
    await openFilters();
    await on.page.getByLabel('Type').fill('project-created.v1');
    await on.page.getByLabel('Until').fill('2000-01-01T00:00');
    await on.page.getByRole('button', { name: 'Show' }).click();
    await on.page.getByText('No event is like this yet').waitFor();
    expect(new URL(on.page.url()).search).toContain('until=2000-01-01T00');
    await on.page.reload();
    await on.page.getByText('No event is like this yet').waitFor();
    await openFilters();
    expect(await on.page.getByLabel('Type').inputValue()).toBe('project-created.v1');
    await on.page.getByLabel('Type').fill('nothing.v1');
    await on.page.getByRole('button', { name: 'Show' }).click();
    await on.page.getByRole('alert').getByText('names no type of event').waitFor();
  });

  it('shows a resource as it was after each event of its stream, and the changes of that event', async () => {
    const { body: model } = await on.api.call('POST', '/models', { name: 'tickets' });
    await on.api.call('POST', '/models/tickets/versions', { model_id: 'anneal/encoder-base-v1' });
    await on.api.call('PUT', '/models/tickets/versions/1/promote', { reason: 'the first one' });
    await on.api.drained();
    await on.page.goto(`/console/log?stream=${model.stream}`);
    const fields = on.page.getByLabel('Fields');
    await fields.getByText('promotions (changed)').waitFor();
    await on.page.getByRole('slider').press('Home');
    await fields.getByText('name (changed)').waitFor();
    expect(await fields.innerText()).not.toContain('the first one');
    expect(new URL(on.page.url()).search).toContain('as_of=');
    await on.page.reload();
    await fields.getByText('name (changed)').waitFor();
    await on.page.getByRole('slider').press('End');
    await fields.getByText('the first one').waitFor();
  });

  it('shows how far the log was verified, and the range of the signed checkpoint', async () => {
    await on.page.goto('/console/log');
    await on.page.getByRole('heading', { name: 'Verification' }).waitFor();
    await on.page.getByText('Problems found').waitFor();
    await on.page.getByText('A signed checkpoint covers the first').waitFor();
  });
});
