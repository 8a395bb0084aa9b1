// Where dependency-cruiser finds `#ports/bus/port.js`: in the sources. By package.json's `imports` it finds the build, which it leaves out.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folders = ['apps', 'projections', 'gpu-runner', 'test', 'tools'].map((name) => [`#${name}`, join(root, name)]);
const libs = readdirSync(join(root, 'libs')).map((name) => [`#${name}`, join(root, 'libs', name)]);

export default {
  resolve: { alias: Object.fromEntries([...folders, ...libs]), extensionAlias: { '.js': ['.ts', '.js'] } },
};
