import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { complaintsOf, signedIn, startBrowser } from './browser.js';

export interface OnAPage {
  readonly api: TestApi;
  /** Page of the test that runs, signed in. */
  readonly page: Page;
}

/** For the tests of a suite a system, and for each a page of its own. A test fails where its page complains of an error. */
export function onAPage(start: () => Promise<TestApi> = startTestApi): OnAPage {
  let api: TestApi;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    api = await start();
    browser = await startBrowser();
  });
  beforeEach(async () => {
    context = await signedIn(browser, api);
    complaints = complaintsOf(context);
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });
  return {
    get api() {
      return api;
    },
    get page() {
      return page;
    },
  };
}
