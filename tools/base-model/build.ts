/**
 * Builds the base model from the templates and word lists of this folder:
 *
 *   node dist/tools/base-model/build.js [folder]
 *
 * The folder is by default the committed one. The same sources give the same bytes.
 */
import { fileURLToPath } from 'node:url';
import { writeArtifact } from '#gpu-runner/engines/builtin/artifact/index.js';
import { buildBaseModel } from './base-model.js';

const committed = fileURLToPath(new URL('../../../gpu-runner/engines/builtin/base-model', import.meta.url));

const start = performance.now();
const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
const { artifact, card } = buildBaseModel((message) => console.log(`${seconds()}: ${message}`));
const directory = process.argv[2] ?? committed;
const sha256 = writeArtifact(directory, artifact, { card });
console.log(`${artifact.id}, config sha256 ${sha256}, written to ${directory} after ${seconds()}`);
