import { setTimeout as sleep } from 'node:timers/promises';
import { hasChromium } from './browser.js';
import { settled } from './axe.js';
import { fillSystem, type FilledSystem } from './filled-system.js';
import { onAPage } from './on-a-page.js';
import { PLACES } from './places.js';
import { tooWide } from './too-wide.js';

const suite = hasChromium() ? describe : describe.skip;

const MAX_SCRIPT_BYTES = 250_000;

/** Gathers what the page is measured by, from its beginning. */
const GATHER = `
  globalThis.shifts = [];
  globalThis.refused = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push(value.toFixed(4) + ' ' + sources.map(({ node }) => node?.parentElement?.innerText?.slice(0, 40)).join(' / '));
  }).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('securitypolicyviolation', ({ blockedURI, violatedDirective }) => refused.push(violatedDirective + ' ' + blockedURI));
`;

suite('each page of the console, opened by its address', () => {
  let filled: FilledSystem;
  const on = onAPage();
  beforeAll(async () => {
    filled = await fillSystem(on.api);
  });

  it(`loads less than ${MAX_SCRIPT_BYTES / 1000} kB of script, compressed`, async () => {
    const bytes: Record<string, number> = {};
    for (const { name, path } of PLACES) {
      // A context of its own has nothing in its cache.
      const context = await on.browser.newContext();
      await context.addCookies(await on.page.context().cookies(on.api.url));
      const page = await context.newPage();
      const scripts: Promise<number>[] = [];
      page.on('requestfinished', (request) => {
        if (request.resourceType() === 'script') scripts.push(request.sizes().then((sizes) => sizes.responseBodySize));
      });
      await page.goto(`${on.api.url}/console${path(filled)}`);
      await settled(page);
      bytes[name] = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0);
      await context.close();
    }
    expect(Object.entries(bytes).filter(([, each]) => each === 0 || each >= MAX_SCRIPT_BYTES)).toEqual([]);
  });

  it('requests the scripts of its route, and who is signed in, once, while its first script is on its way', async () => {
    const held = Promise.withResolvers<void>();
    await on.page.route('**/assets/index-*.js', async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked: string[] = [];
    on.page.on('request', (request) => asked.push(request.url()));
    const early = ['/assets/job-page-', '/auth/session'].map((part) =>
      on.page.waitForRequest((request) => request.url().includes(part)),
    );
    const opened = on.page.goto(`/console/training/${filled.jobId}`);
    await Promise.all(early);
    held.resolve();
    await opened;
    await settled(on.page);
    expect(asked.filter((url) => url.endsWith('/auth/session'))).toHaveLength(1);
    expect(asked.filter((url, at) => url.includes('/assets/') && asked.indexOf(url) !== at)).toEqual([]);
  });

  it.each([
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
  ])(
    'shifts nothing while loading, and requests nothing that its content security policy blocks, %s',
    async (_, size) => {
      await on.page.setViewportSize(size);
      await on.page.addInitScript(GATHER);
      const found: string[] = [];
      let asked = 0;
      // Answers come one after another: a page has to wait for all of them.
      await on.page.route('**/*', async (route) => {
        if (route.request().resourceType() === 'fetch') await sleep(Math.min((asked += 1), 8) * 100);
        await route.continue();
      });
      for (const { name, path } of PLACES) {
        asked = 0;
        await on.page.goto(`/console${path(filled)}`);
        await settled(on.page);
        const measured = await on.page.evaluate<string[]>('[...shifts, ...refused]');
        found.push(...measured.map((each) => `${name}: ${each}`));
      }
      expect(found).toEqual([]);
    },
  );

  it('is no wider than its window, from a phone to a wide screen', async () => {
    expect(await tooWide(on.page, filled)).toEqual([]);
  });
});
