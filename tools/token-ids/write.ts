import { writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { cl100kTable } from './table.js';

// Run at the root of the repository, as `npm run build:token-ids` does.
writeFileSync('libs/calls/token-ids/cl100k_base.bin', brotliCompressSync(cl100kTable()));
