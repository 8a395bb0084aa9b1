import { readFileSync } from 'node:fs';
import { DIALECTS } from '#calls/hosted/fields/index.js';
import { fieldsPage } from '#calls/hosted/fields/page.js';

describe('docs/reference/request-fields.md', () => {
  it('equals the output of `npm run docs:fields`', () => {
    const page = readFileSync(new URL('../../../docs/reference/request-fields.md', import.meta.url), 'utf8');
    expect(page).toBe(fieldsPage(DIALECTS));
  });
});
