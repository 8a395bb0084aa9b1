// Resolves `#ports/bus/port.js` to the sources for dependency-cruiser. package.json's `imports` lead to the build,
// which it ignores.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folders = ['apps', 'projections', 'gpu-runner', 'test', 'tools'].map((name) => [`#${name}`, join(root, name)]);
const libs = readdirSync(join(root, 'libs')).map((name) => [`#${name}`, join(root, 'libs', name)]);

export default {
  resolve: { alias: Object.fromEntries([...folders, ...libs]), extensionAlias: { '.js': ['.ts', '.js'] } },
};
