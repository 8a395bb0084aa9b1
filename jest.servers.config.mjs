// The suites that need servers: `npm run test:servers` starts those and runs this. The second part is the specs of the API that
// depend on stores once more, with their system on those servers.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import base from './jest.config.mjs';

const dist = join(import.meta.dirname, 'dist');
const startsTestApi = (file) =>
  /\b(startTestApi|sharedTestApi|startWorld)\(/.test(readFileSync(join(dist, file), 'utf8'));
// Suites of other clients, of training and of body parsing do not depend on where things are stored.
const ANYWHERE = [
  /^(test|apps\/cli|gpu-runner)\//,
  /^apps\/api\/(edge\/(connections|errors|openapi|validation)|routes\/catalog)\//,
  /^apps\/api\/edge\/(aliases|allowed-methods|cors|send-file)\./,
  /^apps\/api\/dialects\/(gliner2|native|openai-embeddings)\//,
  /^apps\/api\/routes\/training-jobs\/(requests\/)?(hold-out-like|lacking-heads|nested-spans|relations|structures)\./,
];
const apiSpecs = globSync('**/*.spec.js', { cwd: dist }).filter(
  (file) =>
    !/\.(servers|browser)\.spec\.js$/.test(file) && !ANYWHERE.some((part) => part.test(file)) && startsTestApi(file),
);

const { rootDir, testEnvironment, transform, testTimeout, runner } = base;
const project = { rootDir, testEnvironment, transform, runner };

export default {
  // Beside the servers.
  maxWorkers: 2,
  testTimeout,
  projects: [
    { ...project, displayName: 'servers', testMatch: ['<rootDir>/**/*.servers.spec.js'] },
    {
      ...project,
      displayName: 'API on servers',
      testMatch: apiSpecs.map((file) => `<rootDir>/${file}`),
    },
  ],
};
