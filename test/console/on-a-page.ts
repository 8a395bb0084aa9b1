import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { complaintsOf, signedIn, startBrowser } from './browser.js';

export interface OnAPage {
  readonly api: TestApi;
  readonly browser: Browser;
  /** Page of the test that runs, signed in. */
  readonly page: Page;
  /** The test that runs is refused something by the API, which browsers complain of. */
  expectsRefusal(): void;
}

/** Chromium's message about an answer that is an error. */
const REFUSED = /the server responded with a status of [45]\d\d|net::ERR_FAILED/;

/** For the tests of a suite a system, and for each a page of its own. A test fails where its page complains of an error. */
export function onAPage(start: () => Promise<TestApi> = startTestApi): OnAPage {
  let api: TestApi;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let isRefused: boolean;
  beforeAll(async () => {
    api = await start();
    browser = await startBrowser();
  });
  beforeEach(async () => {
    context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
    isRefused = false;
  });
  afterEach(async () => {
    await context.close();
    expect(complaints.filter((each) => !isRefused || !REFUSED.test(each))).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });
  return {
    get api() {
      return api;
    },
    get browser() {
      return browser;
    },
    expectsRefusal() {
      isRefused = true;
    },
    get page() {
      return page;
    },
  };
}
