import { access } from 'node:fs/promises';
import { InstallError, outputOf } from '../index.js';

/** `cuda` also runs on the CPU; `cpu` leaves out what torch loads on a GPU alone. */
export type Build = 'cpu' | 'cuda';

interface ChosenBuild {
  readonly build: Build;
  /** Why, for the person who installs. */
  readonly because: string;
}

/** Signs of an NVIDIA driver. */
export interface GpuSigns {
  readonly nvidiaSmi: string;
  /** Paths of the driver's library, for containers without nvidia-smi. */
  readonly driverLibraries: readonly string[];
  readonly platform: NodeJS.Platform;
}

const SIGNS: GpuSigns = {
  nvidiaSmi: 'nvidia-smi',
  driverLibraries: [
    '/usr/lib/x86_64-linux-gnu/libcuda.so.1',
    '/usr/lib/aarch64-linux-gnu/libcuda.so.1',
    '/usr/lib64/libcuda.so.1',
    '/usr/lib/libcuda.so.1',
    '/usr/local/nvidia/lib64/libcuda.so.1',
    '/usr/lib/wsl/lib/libcuda.so.1',
  ],
  platform: process.platform,
};
const QUERY = ['--query-gpu=name,driver_version', '--format=csv,noheader'];
const PATIENCE_MS = 30_000;
/** The oldest driver for CUDA 13, which the lock's torch is built with (https://docs.nvidia.com/cuda/cuda-toolkit-release-notes). */
const MIN_DRIVER = 580;

/**
 * The requested build, else the one that fits the machine.
 * @throws InstallError `cuda` was requested where it does not exist
 * @throws the signal's reason
 */
export async function chooseBuild(
  asked: Build | null,
  signs: Partial<GpuSigns> = {},
  signal?: AbortSignal,
): Promise<ChosenBuild> {
  const { nvidiaSmi, driverLibraries, platform } = { ...SIGNS, ...signs };
  if (platform !== 'linux') {
    if (asked === 'cuda') throw new InstallError('torch has a CUDA build on Linux alone; install it without --cuda');
    return { build: 'cpu', because: 'torch has one build for this system' };
  }
  if (asked !== null) return { build: asked, because: `--${asked}` };
  const gpu = await gpuOf(nvidiaSmi, signal);
  if (gpu !== null)
    return isOld(gpu)
      ? { build: 'cpu', because: `the driver of ${gpu} is older than ${MIN_DRIVER}, which CUDA 13 needs` }
      : { build: 'cuda', because: `nvidia-smi shows ${gpu}` };
  for (const path of driverLibraries)
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return { build: 'cuda', because: `the driver of NVIDIA is here (${path})` };
  return { build: 'cpu', because: 'no GPU of NVIDIA is seen; --cuda installs for one all the same' };
}

/** The first GPU that nvidia-smi lists, as `NAME, DRIVER`; null if there is none. */
async function gpuOf(nvidiaSmi: string, signal: AbortSignal | undefined): Promise<string | null> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const output = await outputOf(nvidiaSmi, QUERY, {
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    const [first = ''] = output.split('\n');
    return first.trim() || null;
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}

const isOld = (gpu: string): boolean => Number(/, (\d+)\.[\d.]+$/.exec(gpu)?.[1] ?? MIN_DRIVER) < MIN_DRIVER;
