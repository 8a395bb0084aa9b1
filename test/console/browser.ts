import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Where Debian's `chromium` is, or CHROMIUM. */
export const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';

/** Bounds what hangs; a busy machine is only slow. */
const PATIENCE_MS = 300_000;

export const hasChromium = (): boolean => existsSync(CHROMIUM);

/** Debian's Chromium, which asks nobody anything by itself. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    timeout: PATIENCE_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });

interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** A browser of a visitor of a system. */
export async function visiting(browser: Browser, url: string, look: Look = {}): Promise<BrowserContext> {
  const { colorScheme = 'light', width = 1280, height = 800 } = look;
  const context = await browser.newContext({ baseURL: url, colorScheme, viewport: { width, height } });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** A browser in which somebody is signed in. */
export async function signedIn(
  browser: Browser,
  { url, session }: { readonly url: string; readonly session: string },
  look: Look = {},
): Promise<BrowserContext> {
  const context = await visiting(browser, url, look);
  await context.addCookies([{ name: 'anneal_session', value: session, url }]);
  return context;
}

/** Gathers what the pages of a context complain about: errors, refusals of the content security policy, failed requests of their own. */
export function complaintsOf(context: BrowserContext): string[] {
  const complaints: string[] = [];
  const watch = (page: Page): void => {
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(`${page.url()}: ${message.text()}`);
    });
  };
  context.pages().forEach(watch);
  context.on('page', watch);
  return complaints;
}
