export { makeEnvironment, pythonOf, type EnvironmentProgress, type PythonFacts } from './environment.js';
export { packagesIn, readLockAt, type Lock } from './lock.js';
