// The suites that need servers: `npm run test:servers` starts those and runs this.
import base from './jest.config.mjs';

export default {
  ...base,
  testMatch: ['<rootDir>/**/*.servers.spec.js'],
  testPathIgnorePatterns: [],
  testTimeout: 60_000,
};
