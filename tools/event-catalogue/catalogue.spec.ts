import { Ajv, type ValidateFunction } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { upcastGoldenEvents } from '#test/golden/events.js';
import { eventCatalogue } from './catalogue.js';
import { pageOf } from './page.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

describe('the catalogue of events', () => {
  const catalogue = eventCatalogue(ROOT);

  it('equals the copies of the API and the page: npm run docs:events was run after the last change', () => {
    const kept = readFileSync(join(ROOT, 'libs/log/event-types.json'), 'utf8');
    expect(JSON.parse(kept)).toEqual(catalogue);
    expect(readFileSync(join(ROOT, 'docs/reference/events.md'), 'utf8')).toBe(pageOf(catalogue));
  });

  it('has a schema that each golden sample matches, and that detects a wrong field type', () => {
    const ajv = new Ajv({ allErrors: true });
    const checks = new Map<string, ValidateFunction>();
    for (const { type, schema } of catalogue) if (schema) checks.set(type, ajv.compile(schema));
    for (const { type, data } of upcastGoldenEvents) {
      const fits = checks.get(type)!;
      expect([type, fits(data) ? null : fits.errors]).toEqual([type, null]);
      const [first] = Object.keys(data).filter((key) => typeof data[key] === 'string');
      expect([type, fits({ ...data, [first!]: {} })]).toEqual([type, false]);
    }
  });
});
