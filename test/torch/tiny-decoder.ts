import { join } from 'node:path';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { run } from '#test/servers/tools.js';

const CODE = [
  'import sys',
  'from pathlib import Path',
  'from support import make_base, CHATML',
  'make_base(Path(sys.argv[1]), CHATML)',
  'make_base(Path(sys.argv[2]), None)',
].join('\n');

/** Folders of the two models. */
interface TinyDecoders {
  /** Takes chats. */
  readonly chat: string;
  /** Has no chat template. */
  readonly text: string;
}

/** Writes two random models of some 100,000 parameters in the hub's format. Their folders must exist. */
export async function makeTinyDecoders(python: string, { chat, text }: TinyDecoders): Promise<void> {
  const PYTHONPATH = `${PYTHON_PACKAGE}:${join(PYTHON_PACKAGE, 'tests')}`;
  await run(python, ['-c', CODE, chat, text], { environment: { PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' } });
}
