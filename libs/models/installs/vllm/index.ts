export { findVllm, installVllm, readVllmLock, VLLM, type VllmInstall, type VllmInstallOptions } from './install.js';
