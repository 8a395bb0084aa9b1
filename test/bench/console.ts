import type { Browser, Page } from 'playwright-core';
import { startTestApi } from '#test/support/api.js';
import { hasChromium, signedIn, startBrowser } from '#test/console/browser.js';
import { appendCalls } from '#test/support/recorded-calls.js';
import { median } from './quantile.js';
import { scaled } from './size.js';

/**
 * `npm run bench -- console`: the first view of the console, and frames while its history is scrolled, in Debian's Chromium without a GPU.
 * Beside it: the frames of an empty page in the same browser.
 */
const CALLS = scaled(1_000_000, 1_000);
const VIEWS = scaled(7);
const SCROLLED_MS = scaled(5_000, 200);

/** Frames of a page and the longest pause between two, while a step is taken in each. */
const FRAMES = (step: string): string => `new Promise((resolve) => {
  const [times, begin] = [[], performance.now()];
  const frame = (now) => {
    times.push(now);
    ${step};
    if (now - begin < ${SCROLLED_MS}) requestAnimationFrame(frame);
    else resolve({
      perSecond: (1000 * (times.length - 1)) / (times.at(-1) - times[0]),
      longestMs: Math.max(...times.slice(1).map((time, index) => time - times[index])),
    });
  };
  requestAnimationFrame(frame);
})`;

interface Frames {
  readonly perSecond: number;
  readonly longestMs: number;
}

if (!hasChromium()) {
  console.log("skipped: Debian's chromium is not here");
  process.exit(0);
}
const api = await startTestApi({ rateLimits: false });
const browser = await startBrowser();
try {
  const begun = performance.now();
  const { workspace_id: workspaceId } = (
    await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${api.session}` })
  ).body;
  await appendCalls(api.application.ports.eventStore, CALLS, { workspaceId, last: new Date() });
  const written = performance.now();
  await api.drained();
  const [log, all] = [written, performance.now()].map((at) => Math.round((at - begun) / 1000));
  console.log(`${CALLS.toLocaleString('en')} calls: on the log after ${log} s, in all read models after ${all} s`);
  for (const [name, path] of [
    ['first view, Home', '/console/'],
    ['first view, History', '/console/history'],
  ] as const) {
    const times: number[] = [];
    for (let view = 0; view < VIEWS; view += 1) times.push(await firstView(browser, path));
    console.log(
      `${name}: median ${median(times)} ms, longest ${Math.max(...times)} ms, of ${VIEWS} with an empty cache`,
    );
  }
  const context = await signedIn(browser, api);
  const page = await context.newPage();
  await page.goto('about:blank');
  report('an empty page', await page.evaluate<Frames>(FRAMES('')));
  await page.goto('/console/history');
  await page.getByRole('row').nth(20).waitFor();
  report('the history, a row a frame', await scrolled(page, 32));
  report('the history, a screen a frame', await scrolled(page, 480));
} finally {
  await browser.close();
  await api.close();
}
process.exit(0);

/** Milliseconds from the beginning of the navigation until the page is shown, with nothing in the cache. */
async function firstView(started: Browser, path: string): Promise<number> {
  const context = await signedIn(started, api);
  const page = await context.newPage();
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator('[aria-busy=false] h1').waitFor();
  const ms = await page.evaluate<number>('Math.round(performance.now())');
  await context.close();
  return ms;
}

function scrolled(page: Page, pixels: number): Promise<Frames> {
  return page.evaluate<Frames>(FRAMES(`document.querySelector("[aria-label=Calls]").scrollTop += ${pixels}`));
}

function report(what: string, { perSecond, longestMs }: Frames): void {
  console.log(`${what}: ${perSecond.toFixed(1)} frames a second, longest pause ${longestMs.toFixed(0)} ms`);
}
