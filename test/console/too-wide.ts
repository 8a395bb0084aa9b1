import type { Page } from 'playwright-core';
import { settled } from './axe.js';
import type { FilledSystem } from './filled-system.js';
import { PLACES } from './places.js';

const WIDTHS = [2560, 1280, 768, 390] as const;

/** Pages that scroll sideways; tables, texts and graphs do that within themselves. @param look is called with each page once it is there */
export async function tooWide(
  page: Page,
  filled: FilledSystem,
  look: (name: string) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, path } of PLACES) {
    await page.goto(`/console${path(filled)}`);
    await settled(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      const by = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      if (by > 0) found.push(`${name} at ${width} px: by ${by} px`);
    }
    await look(name);
  }
  return found;
}
