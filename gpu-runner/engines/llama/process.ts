import { fileURLToPath } from 'node:url';
import { passedOn, startInOwnFolder } from '../torch/own-folder.js';
import type { StartEngine } from '../torch/process.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/** Variables of the runner's environment that the process needs. */
const PASSED = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH'];

/**
 * Starts the process that has the models in memory. It speaks the messages of the torch engine.
 * @param folder the installation
 */
export const startLlama = (folder: string, version: string): StartEngine =>
  startInOwnFolder('anneal-llama', {
    command: [process.execPath, '--disable-warning=ExperimentalWarning', CHILD, folder, version],
    environment: passedOn(PASSED),
  });
