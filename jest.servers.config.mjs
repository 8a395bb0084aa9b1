// The suites that need servers: `npm run test:servers` starts those and runs this. The second part is every spec of the API once
// more, with its system on those servers.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import base from './jest.config.mjs';

const dist = join(import.meta.dirname, 'dist');
const startsTestApi = (file) => /\b(startTestApi|startWorld)\(/.test(readFileSync(join(dist, file), 'utf8'));
const apiSpecs = globSync('**/*.spec.js', { cwd: dist }).filter(
  // What clients of others make of the shapes, and what reading a body costs, does not depend on where things are stored.
  (file) => !file.endsWith('.servers.spec.js') && !/^test\/(clients|http)\//.test(file) && startsTestApi(file),
);

const { rootDir, testEnvironment, transform, testTimeout, runner } = base;
const project = { rootDir, testEnvironment, transform, runner };

export default {
  // Beside the servers.
  maxWorkers: 2,
  testTimeout,
  projects: [
    { ...project, displayName: 'servers', testMatch: ['<rootDir>/**/*.servers.spec.js'], testPathIgnorePatterns: [] },
    {
      ...project,
      displayName: 'API on servers',
      testMatch: apiSpecs.map((file) => `<rootDir>/${file}`),
    },
  ],
};
