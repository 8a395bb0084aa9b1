export { findLlama, installLlama, LLAMA, type LlamaInstall, type LlamaInstallOptions } from './install.js';
export { readLlamaLock } from './lock.js';
