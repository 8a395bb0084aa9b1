import { providePrimitives } from '#audit/primitives.js';
import { browserPrimitives } from './primitives.js';
import { verifyFile, type Given, type Result } from './verify-file.js';

/** What the worker tells the page. */
export type Told = { readonly read: number } | { readonly result: Result } | { readonly error: string };

const PROGRESS_MS = 100;

providePrimitives(browserPrimitives);
addEventListener('message', ({ data }: MessageEvent<Given>) => {
  const tell = (told: Told): void => postMessage(told);
  let told = 0;
  const onRead = (read: number): void => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    tell({ read });
  };
  verifyFile(data, onRead).then(
    (result) => tell({ result }),
    (error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) }),
  );
});
