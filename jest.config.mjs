// Tests run on the build (dist/): worker threads and child processes cannot start from TypeScript.
export default {
  rootDir: 'dist',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/**/*.spec.js'],
  transform: {},
  testTimeout: 20_000,
  maxWorkers: 2,
};
