// Stands in for the Python of an environment with vLLM: FOLDER, serve.py, arguments of vLLM's server.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startScriptedVllm } from './scripted-vllm.js';

const [folder = '', , ...args] = process.argv.slice(2);
appendFileSync(join(folder, 'starts.jsonl'), `${JSON.stringify({ pid: process.pid, args })}\n`);
if (args.includes('ada/broken')) {
  console.error('no kernel image is available');
  process.exit(3);
}
const { values } = parseArgs({
  ...{ args, strict: false, allowPositionals: true },
  options: { 'served-model-name': { type: 'string' }, port: { type: 'string' } },
});
await startScriptedVllm({
  model: values['served-model-name'] as string,
  apiKey: process.env['VLLM_API_KEY']!,
  port: Number(values.port),
});
process.stdin.resume().on('end', () => process.exit(0));
