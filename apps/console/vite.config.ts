import tailwindcss from '@tailwindcss/vite';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { preloads } from './preloads.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  base: '/console/',
  plugins: [tailwindcss(), preloads()],
  // The verifier of exports is that of the command.
  resolve: { alias: [{ find: /^#(.+)\.js$/, replacement: here('../../libs/$1.ts') }] },
  worker: { format: 'es' },
  build: {
    outDir: here('../../dist/apps/console'),
    emptyOutDir: true,
    target: 'es2023',
    // A file inside the page would break the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What many pages import is one file: over HTTP/1.1 a browser requests only six files at a time.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 8 }] } } },
  },
  // `npx vite apps/console` serves the sources, with the API of `npm start`.
  server: { proxy: { '^/(?!console/)': process.env.ANNEAL_URL ?? 'http://127.0.0.1:8080' } },
});
