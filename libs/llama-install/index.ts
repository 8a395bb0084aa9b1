export { findLlama, installLlama, LLAMA, type LlamaInstall, type LlamaInstallOptions } from './install.js';
export { readLlamaLock, type LlamaLock } from './lock.js';
