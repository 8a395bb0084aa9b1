import { availableParallelism } from 'node:os';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { passedOn, startInOwnFolder } from './own-folder.js';
import type { StartEngine } from './process.js';

/** More threads make the small matrices of one machine's models no faster. */
const MAX_THREADS = 16;
/** Variables of the runner's environment that Python and CUDA need. */
const PASSED = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH', 'CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER'];

/**
 * @param python the program of the engine's virtual environment
 * @param processes that train a model together
 * @param deterministic `off`: results on a GPU may differ in the last bits
 */
export const startTorch = (python: string, processes = '1', deterministic = 'on'): StartEngine =>
  startInOwnFolder('anneal-torch', {
    command: [
      ...([python, '-m', 'anneal_runner', '--threads', `${Math.min(MAX_THREADS, availableParallelism())}`] as const),
      ...(['--processes', processes, '--deterministic', deterministic] as const),
    ],
    environment: {
      ...passedOn(PASSED),
      PYTHONPATH: PYTHON_PACKAGE,
      // `python -m` would import modules from the working directory first.
      PYTHONSAFEPATH: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONNOUSERSITE: '1',
      PYTHONUNBUFFERED: '1',
      // Libraries warn their developers of names that will change: not the last words of a process that is lost.
      PYTHONWARNINGS: 'ignore::FutureWarning,ignore::DeprecationWarning',
      // Packages that go through sets of words do it in the same order each time: the same request trains the same model.
      PYTHONHASHSEED: '0',
      // Threads that spin while waiting for each other take the cores from concurrent trainings and calls.
      OMP_WAIT_POLICY: 'PASSIVE',
    },
  });
