import { servePast, type ServedPast } from '#apps/past/serve-past.js';
import { Settings } from '#settings/index.js';
import { settled, violationsOn } from './axe.js';
import { hasChromium, signedIn } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

suite('the console of a system of the past', () => {
  const on = onAPage();
  let past: ServedPast;
  beforeAll(async () => {
    await on.api.call('POST', '/projects', { name: 'early' });
    const { position } = await on.api.application.ports.eventStore.head();
    past = await servePast(new Settings({ ...on.api.settings, port: 0 }), { at: position! });
  });
  afterAll(() => past.close());

  it('shows on every page its point in time, to users of the running system', async () => {
    const context = await signedIn(on.browser, { url: on.api.url, session: on.api.session });
    const page = await context.newPage();
    for (const path of ['', 'datasets', 'training', 'history', 'keys']) {
      await page.goto(`${past.url}/console/${path}`);
      await page.getByRole('complementary', { name: 'As of then' }).getByText('nothing can be changed here').waitFor();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await settled(page);
      expect(await violationsOn(page, path)).toEqual([]);
    }
    await page.goto(`${on.api.url}/console/keys`);
    await page.getByText('bootstrap').first().waitFor();
    expect(await page.getByRole('complementary', { name: 'As of then' }).count()).toBe(0);
    await context.close();
  });
});
