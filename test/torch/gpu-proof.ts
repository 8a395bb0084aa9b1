// `npm run gpu:proof [-- OPTIONS]`: see gpu-runner/engines/torch/python/proof.py, which an environment of one's own runs as well.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { torchForTests } from './environment.js';
import { pythonTools } from './pytest.js';

const { python } = await torchForTests();
const { status } = spawnSync(python, [join(PYTHON_PACKAGE, 'proof.py'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, PYTHONPATH: await pythonTools(python), PYTHONDONTWRITEBYTECODE: '1' },
});
process.exitCode = status ?? 1;
