export { type Build, type GpuSigns } from './build.js';
export { findTorch, TORCH, type TorchInstall } from './folders.js';
export { installTorch, type InstallOptions } from './install.js';
export { PYTHON_PACKAGE, readLock } from './lock.js';
