import { globSync } from 'node:fs';
import { join } from 'node:path';
import { QUICK_SUITES } from './quick.js';

const specs = globSync('**/*.spec.js', { cwd: join(import.meta.dirname, '../..') });

it.each(QUICK_SUITES)('the quick part of the suites on servers has a suite for %s', (pattern) => {
  expect(specs.some((spec) => new RegExp(pattern).test(spec))).toBe(true);
});
