export { createEmbedder } from './embedder.js';
