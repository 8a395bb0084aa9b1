import { join } from 'node:path';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { run } from '#test/servers/tools.js';

const CODE = [
  'import sys',
  'from pathlib import Path',
  'from support import make_base, CALLING, CHATML',
  'make_base(Path(sys.argv[1]), CHATML)',
  'make_base(Path(sys.argv[2]), None)',
  'if len(sys.argv) > 3: make_base(Path(sys.argv[3]), CALLING)',
].join('\n');

/** Folders of the two models. */
interface TinyDecoders {
  /** Takes chats. */
  readonly chat: string;
  /** Has no chat template. */
  readonly text: string;
  /** Takes chats with tools. Absent: not made. */
  readonly tools?: string;
}

/** Writes two or three random models of some 100,000 parameters in the hub's format. Their folders must exist. */
export async function makeTinyDecoders(python: string, { chat, text, tools }: TinyDecoders): Promise<void> {
  const PYTHONPATH = `${PYTHON_PACKAGE}:${join(PYTHON_PACKAGE, 'tests')}`;
  await run(python, ['-c', CODE, chat, text, ...(tools === undefined ? [] : [tools])], {
    environment: { PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' },
  });
}
