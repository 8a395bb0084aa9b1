import { join } from 'node:path';

// Many specs start processes, which read the same modules: those are compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

// Tests run on the build (dist/): worker threads and child processes cannot start from TypeScript.
export default {
  rootDir: 'dist',
  testEnvironment: 'node',
  // The lanes of the others: test/lanes/lanes.ts.
  testMatch: ['<rootDir>/**/*.spec.js', '!**/*.{servers,browser,release}.spec.js'],
  transform: {},
  // Finds what hangs; a busy machine is only slow.
  testTimeout: 600_000,
  // CI has two cores, and specs wait a third of their time.
  maxWorkers: 4,
  runner: join(import.meta.dirname, 'scripts', 'jest-runner.mjs'),
};
