import { join } from 'node:path';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { run } from '#test/servers/tools.js';

const CODE = [
  'import sys',
  'from pathlib import Path',
  'from encoders import make_encoder, make_gliner',
  'make_encoder(Path(sys.argv[1]))',
  'make_gliner(Path(sys.argv[2]), "span")',
].join('\n');

/** Folders of the two models. */
interface TinyEncoders {
  /** A text encoder. */
  readonly plain: string;
  readonly gliner2: string;
}

/** Writes two random models of some 60,000 parameters and more, in the hub's format. Their folders must exist. */
export async function makeTinyEncoders(python: string, { plain, gliner2 }: TinyEncoders): Promise<void> {
  const PYTHONPATH = `${PYTHON_PACKAGE}:${join(PYTHON_PACKAGE, 'tests')}`;
  await run(python, ['-c', CODE, plain, gliner2], { environment: { PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' } });
}
