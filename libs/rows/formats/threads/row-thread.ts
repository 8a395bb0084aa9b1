// A thread that converts the blocks of one file; see row-threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { BlockConverter } from '../convert-block.js';
import type { BlockSettings } from '../blocks.js';

const converter = new BlockConverter(workerData as BlockSettings);

parentPort?.on('message', (bytes: Uint8Array) => {
  const block = converter.convert(bytes);
  parentPort?.postMessage(block, [block.text.buffer, block.ends.buffer]);
});
