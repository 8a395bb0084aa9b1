import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestApi } from '#test/support/api.js';
import { complaintsOf, signedIn, startBrowser } from './browser.js';
import { fillSystem } from './filled-system.js';
import { PLACES } from './places.js';

/**
 * `npm run console:pictures [FOLDER]`: each page in both themes, on a phone, a tablet and a wide screen, of a system with something in it; and
 * `console-light.jpeg` and `console-dark.jpeg`, which docs/pictures has for README.md.
 */
const folder = process.argv[2] ?? join('dist', 'pictures');
await mkdir(folder, { recursive: true });
const api = await startTestApi();
const browser = await startBrowser();
try {
  const filled = await fillSystem(api);
  for (const [name, options] of Object.entries({
    light: {},
    dark: { colorScheme: 'dark' as const },
    phone: { width: 390, height: 844 },
    'phone-dark': { colorScheme: 'dark' as const, width: 390, height: 844 },
    tablet: { width: 768, height: 1024 },
    wide: { width: 2560, height: 1440 },
  })) {
    const context = await signedIn(browser, api, options);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    for (const place of PLACES) {
      await page.goto(`/console${place.path(filled)}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(folder, `${place.name}-${name}.png`), fullPage: true });
    }
    if (name === 'light' || name === 'dark') {
      await page.setViewportSize({ width: 1200, height: 640 });
      await page.goto('/console/history');
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(folder, `console-${name}.jpeg`), type: 'jpeg', quality: 60 });
    }
    await context.close();
    for (const complaint of complaints) console.error(complaint);
  }
} finally {
  await browser.close();
  await api.close();
}
console.log(`pictures of ${PLACES.length} pages are in ${folder}`);
process.exit(0);
