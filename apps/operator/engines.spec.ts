import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '#domain/json.js';
import { readLlamaLock } from '#models/installs/llama/index.js';
import { readLock, type Build, type GpuSigns } from '#models/installs/torch/index.js';
import { readVllmLock } from '#models/installs/vllm/index.js';
import { eventually } from '#test/support/eventually.js';
import { engineOperations } from './engines.js';
import { OperationError } from './operation.js';

/** The scripted Python answers `python -c`, `python -m venv` (which copies it) and `python -m pip`. */
const SCRIPT = (version: string, pip: string) => `#!/bin/sh
case "$1 $2" in
  "-c import platform"*) echo ${version} ;;
  "-c import venv"*) ;;
  "-c "*) echo '{"torch": "2.15.0", "peft": "0.21.2"}' ;;
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip") ${pip} ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
`;
const COLLECTS =
  'echo "Collecting torch==2.15.0"; echo "Collecting peft==0.21.2"; echo "$*" > "$(dirname "$0")/pip-arguments"; for each; do :; done; cp "$each" "$(dirname "$0")/requirements"';

describe("an operator's engines", () => {
  let folder: string;
  let dataDir: string;
  let lockFile: string;
  let signs: GpuSigns;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-engines-'));
    dataDir = join(folder, 'data');
    lockFile = join(folder, 'requirements.lock');
    await writeFile(lockFile, 'torch==2.15.0 \\\n    --hash=sha256:00\npeft==0.21.2 \\\n    --hash=sha256:00\n');
    signs = {
      nvidiaSmi: await nvidiaSmi('echo "NVIDIA H100 80GB HBM3, 580.65.06"'),
      driverLibraries: [],
      platform: 'linux',
    };
  });
  afterEach(() => rm(folder, { recursive: true }));

  const python = async (version = '3.11.7', pip = COLLECTS) => {
    const path = join(folder, `python-${version}`);
    await writeFile(path, SCRIPT(version, pip));
    await chmod(path, 0o755);
    return path;
  };
  /** The scripted nvidia-smi of a machine with a GPU. @returns its path */
  const nvidiaSmi = async (script: string) => {
    const path = join(folder, 'nvidia-smi');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const ask = (operation: string, args: JsonObject = {}, more = {}, signal = AbortSignal.timeout(300_000)) => {
    const { enginesDir = null, ...options } = more as { enginesDir?: string; needBytes?: number };
    const lock = readLock(lockFile);
    const operations = engineOperations({ dataDir, enginesDir }, { lock, needBytes: 0, signs, ...options });
    return Array.fromAsync(operations[operation]!(args, signal));
  };
  const install = async (path: string, ...more: [object?, AbortSignal?]) =>
    ask('engines.install', { name: 'torch', python: path }, ...more);
  const left = () => readdir(join(dataDir, 'engines', 'torch')).catch(() => []);
  const key = () => readLock(lockFile).key;

  it('are listed while not installed', async () => {
    expect(await ask('engines.list')).toEqual([
      { name: 'torch', build: null, python: null, versions: null, bytes: null, folder: null },
      { name: 'llama', build: null, python: null, versions: null, bytes: null, folder: null },
      { name: 'vllm', build: null, python: null, versions: null, bytes: null, folder: null },
    ]);
  });

  it('are installed from the lock with the hashes that pip requires, and report progress in packages', async () => {
    const frames = await install(await python());
    const at = join(dataDir, 'engines', 'torch', key());
    const progress = (done: number) => ({ progress: { done, total: 2, unit: 'packages of the CUDA build' } });
    const shown = {
      ...{ name: 'torch', build: 'cuda', python: '3.11.7' },
      versions: { torch: '2.15.0', peft: '0.21.2' },
      bytes: expect.any(Number) as Json,
      folder: at,
    };
    const because = 'nvidia-smi shows NVIDIA H100 80GB HBM3, 580.65.06';
    expect(frames).toEqual([progress(0), progress(1), progress(2), { ...shown, because }]);
    const said = await readFile(join(at, 'bin', 'pip-arguments'), 'utf8');
    expect(said).toMatch(/install --no-index --find-links \S+ --require-hashes --only-binary :all: --no-deps -r /);
    expect(await readFile(join(at, 'bin', 'requirements'), 'utf8')).toBe(await readFile(lockFile, 'utf8'));
    expect(await ask('engines.list')).toMatchObject([
      shown,
      { name: 'llama', folder: null },
      { name: 'vllm', folder: null },
    ]);
    expect(await left()).toEqual([key()]);
    expect((await stat(dataDir)).mode & 0o077).toBe(0);
  });

  it.each<[string, string, Partial<GpuSigns>, Build, string]>([
    ['a GPU', 'echo "NVIDIA L4, 595.10"', {}, 'cuda', 'nvidia-smi shows NVIDIA L4, 595.10'],
    ['no GPU', 'echo "No devices were found" >&2; exit 6', {}, 'cpu', 'no GPU of NVIDIA is seen'],
    ['a driver that lists no GPU', 'true', {}, 'cpu', 'no GPU of NVIDIA is seen'],
    ['a driver that is too old', 'echo "Tesla T4, 535.183.01"', {}, 'cpu', 'Tesla T4, 535.183.01 is older than 580'],
    ['no nvidia-smi', '', { nvidiaSmi: '/nowhere/nvidia-smi' }, 'cpu', 'no GPU of NVIDIA is seen'],
    ['the library of a driver', 'exit 9', { driverLibraries: ['/nowhere', '/bin/sh'] }, 'cuda', 'is here (/bin/sh)'],
    ['another system', 'echo "NVIDIA L4, 595.10"', { platform: 'darwin' }, 'cpu', 'one build for this system'],
  ])("are installed for the machine's hardware: %s", async (_, script, more, build, because) => {
    const own = { ...signs, nvidiaSmi: await nvidiaSmi(script), ...more };
    const [shown] = (await install(await python(), { signs: own })).slice(-1);
    expect(shown).toMatchObject({ build, because: expect.stringContaining(because) as Json });
  });

  it('are installed as requested regardless of the machine, with CUDA beside a build for the CPU', async () => {
    const forBuild = async (build: Build | null) =>
      (await ask('engines.install', { name: 'torch', python: await python(), build })).at(-1);
    expect(await forBuild('cpu')).toMatchObject({ build: 'cpu', because: '--cpu' });
    expect(await left()).toEqual([`${key()}-cpu`]);
    expect(await ask('engines.list')).toMatchObject([{ build: 'cpu' }, { name: 'llama' }, { name: 'vllm' }]);
    expect(await forBuild(null)).toMatchObject({ build: 'cuda' });
    expect(await left()).toEqual([key(), `${key()}-cpu`]);
    // The CUDA build serves the CPU too.
    expect(await forBuild('cpu')).toMatchObject({ build: 'cuda', folder: join(dataDir, 'engines', 'torch', key()) });
    expect(await ask('engines.list')).toMatchObject([{ build: 'cuda' }, { name: 'llama' }, { name: 'vllm' }]);
  });

  it('omit packages that torch loads only on a GPU from the CPU build, with the hashes of the rest', async () => {
    const torch = 'torch==2.15.0 \\\n    --hash=sha256:00\n';
    await writeFile(
      lockFile,
      `nvidia-nvtx==13 \\\n    --hash=sha256:11\n    # via torch\n${torch}triton==3 --hash=sha256:22\n`,
    );
    const frames = await ask('engines.install', { name: 'torch', python: await python(), build: 'cpu' });
    expect(frames[0]).toEqual({ progress: { done: 0, total: 1, unit: 'packages of the CPU build' } });
    const { folder: at } = frames.at(-1) as { folder: string };
    expect(await readFile(join(at, 'bin', 'requirements'), 'utf8')).toBe(torch);
  });

  it('refuse a CUDA build off Linux, and a choice of build for llama', async () => {
    const asked = { name: 'torch', python: await python(), build: 'cuda' };
    const refused = ask('engines.install', asked, { signs: { ...signs, platform: 'darwin' } });
    await expect(refused).rejects.toThrow(/CUDA build on Linux alone; install it without --cuda/);
    await expect(ask('engines.install', { ...asked, name: 'llama' })).rejects.toThrow(/llama has one/);
    expect(await left()).toEqual([]);
  });

  it('are not installed again if one of the folders has them', async () => {
    await install(await python());
    const failing = await python('3.12.0', 'exit 1');
    expect(await install(failing)).toHaveLength(1);
    const enginesDir = join(dataDir, 'engines');
    dataDir = join(folder, 'other');
    expect(await install(failing, { enginesDir })).toMatchObject([{ folder: join(enginesDir, 'torch', key()) }]);
    await expect(ask('engines.remove', { name: 'torch' }, { enginesDir })).rejects.toThrow(
      /engines in ANNEAL_ENGINES_DIR cannot be removed/,
    );
  });

  it('are installed again for another lock, and removed with all leftovers of earlier ones', async () => {
    await install(await python());
    const before = key();
    await writeFile(lockFile, 'torch==2.16.0 --hash=sha256:00\n');
    expect(await ask('engines.list')).toMatchObject([{ folder: null }, { folder: null }, { folder: null }]);
    await install(await python());
    expect(await left()).toEqual([before, key()].toSorted());
    expect(await ask('engines.remove', { name: 'torch' })).toEqual([{ name: 'torch', removed: true }]);
    expect(await left()).toEqual([]);
  });

  it('replace an incomplete environment and the leftovers of a killed installation', async () => {
    await mkdir(join(dataDir, 'engines', 'torch', key(), 'bin'), { recursive: true });
    // No process has this id: the largest is 4194304.
    await mkdir(join(dataDir, 'engines', 'torch', `${key()}.unfinished-9999999`));
    await install(await python());
    expect(await left()).toEqual([key()]);
    expect(await ask('engines.list')).toMatchObject([{ python: '3.11.7' }, { name: 'llama' }, { name: 'vllm' }]);
  });

  it('remove the leftovers of a killed installation before they check for space', async () => {
    await mkdir(join(dataDir, 'engines', 'torch', `${key()}.unfinished-9999999`), { recursive: true });
    await expect(install(await python(), { needBytes: 1e18 })).rejects.toThrow(/GB left/);
    expect(await left()).toEqual([]);
  });

  it.each<[string, () => Promise<string>, RegExp, object?]>([
    ['no Python', () => Promise.resolve('/nowhere/python3'), /nowhere\/python3 is not installed; .* Python 3\.11 or/],
    ['a Python that is too old', () => python('3.10.12'), /is Python 3\.10\.12, and the torch engine needs 3\.11/],
    ['too little room', () => python(), /needs 1000000000\.0 GB of disk while .* GB left/, { needBytes: 1e18 }],
    [
      'a package of another hash',
      () => python('3.13.1', 'echo "THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1'),
      /pip failed \(1\)\nTHESE PACKAGES DO NOT MATCH THE HASHES/,
    ],
  ])('are refused by name for %s, and leave nothing', async (_, made, message, options = {}) => {
    const asked = install(await made(), options);
    await expect(asked).rejects.toThrow(OperationError);
    await expect(asked).rejects.toThrow(message);
    expect(await left()).toEqual([]);
  });

  it('leave nothing when the installation is interrupted', async () => {
    const started = join(folder, 'started');
    const interrupted = new AbortController();
    const asked = install(await python('3.11.7', `touch ${started}; exec sleep 600`), {}, interrupted.signal);
    const refused = expect(asked).rejects.toThrow('interrupted');
    await eventually(() => stat(started));
    interrupted.abort(new Error('interrupted'));
    await refused;
    expect(await left()).toEqual([]);
  });

  it('go on with the packages that an interrupted installation has fetched, and keep none afterwards', async () => {
    // The folder comes after --dest, and after --find-links.
    const FOLDER = 'for each; do case "$before" in --dest|--find-links) at="$each";; esac; before="$each"; done';
    const fails = await python('3.11.7', `${FOLDER}; mkdir -p "$at"; touch "$at/torch.whl"; exit 1`);
    await expect(install(fails)).rejects.toThrow(OperationError);
    expect(await left()).toEqual([`${key()}.fetched`]);
    await install(await python('3.11.8', `${FOLDER}; test -f "$at/torch.whl"`));
    expect(await left()).toEqual([key()]);
  });

  it.each(['engines.install', 'engines.remove'])('must have a known name (%s)', async (operation) => {
    await expect(ask(operation, { name: 'jax', python: 'python3' })).rejects.toThrow(
      'there is no engine jax; the engines are torch',
    );
  });

  it('are not removed if none is installed', async () => {
    await expect(ask('engines.remove', { name: 'torch' })).rejects.toThrow(/holds no engine torch/);
  });

  it('may be vllm, in an environment of its own, from the lock of this release', async () => {
    const vllmLock = { lock: readVllmLock(lockFile), needBytes: 0, platform: 'linux' as const };
    const operations = (more: object = {}) =>
      engineOperations({ dataDir, enginesDir: null }, {}, {}, { ...vllmLock, ...more });
    const asked = { name: 'vllm', python: await python() };
    const vllm = (operation: string, args: JsonObject, more = {}) =>
      Array.fromAsync(operations(more)[operation]!(args, AbortSignal.timeout(300_000)));
    await expect(vllm('engines.install', { ...asked, build: 'cuda' })).rejects.toThrow(/vllm has one build/);
    await expect(vllm('engines.install', asked, { platform: 'darwin' })).rejects.toThrow(/vLLM runs on Linux/);
    const frames = await vllm('engines.install', asked);
    expect(frames[0]).toEqual({ progress: { done: 0, total: 2, unit: 'packages' } });
    const at = join(dataDir, 'engines', 'vllm', vllmLock.lock.key);
    const shown = { name: 'vllm', build: null, python: '3.11.7', folder: at };
    expect(frames.at(-1)).toMatchObject(shown);
    expect(await vllm('engines.install', { ...asked, python: '/nowhere' })).toMatchObject([shown]);
    expect(await vllm('engines.list', {})).toMatchObject([{ name: 'torch' }, { name: 'llama' }, shown]);
    expect(await readFile(join(at, 'bin', 'pip-arguments'), 'utf8')).toContain('--require-hashes --only-binary :all:');
    expect(await vllm('engines.remove', asked)).toEqual([{ name: 'vllm', removed: true }]);
  });

  describe('llama', () => {
    const NPM = `#!/bin/sh
echo "$*" > "$3/npm-arguments"; test -f "$3/package-lock.json" || exit 9
mkdir -p "$3/node_modules/node-llama-cpp" && echo '{"version": "3.22.1"}' > "$3/node_modules/node-llama-cpp/package.json"
`;
    const llama = async (operation: string, script = NPM, more: object = {}) => {
      const npm = join(folder, 'npm');
      await writeFile(npm, script);
      await chmod(npm, 0o755);
      const settings = { dataDir, enginesDir: null };
      const operations = engineOperations(settings, {}, { npm, needBytes: 0, platform: 'linux-x64', ...more });
      return Array.fromAsync(operations[operation]!({ name: 'llama' }, AbortSignal.timeout(300_000)));
    };
    const { key: lock } = readLlamaLock();
    const there = () => readdir(join(dataDir, 'engines', 'llama')).catch(() => []);

    it('is installed by npm from the lock, without install scripts, once', async () => {
      const at = join(dataDir, 'engines', 'llama', lock);
      const [shown] = await llama('engines.install');
      expect(shown).toMatchObject({ name: 'llama', versions: { 'node-llama-cpp': '3.22.1' }, folder: at });
      expect(await readFile(join(at, 'npm-arguments'), 'utf8')).toMatch(/^ci --prefix \S+ --ignore-scripts /);
      expect(await llama('engines.install', 'exit 1')).toEqual([shown]);
      expect(await llama('engines.list')).toMatchObject([{ name: 'torch' }, shown, { name: 'vllm' }]);
      expect(await llama('engines.remove')).toEqual([{ name: 'llama', removed: true }]);
      expect(await there()).toEqual([]);
    });

    it('leaves nothing if npm fails or is missing, or the platform has no build', async () => {
      await expect(llama('engines.install', '#!/bin/sh\necho "no network" >&2; exit 1\n')).rejects.toThrow(
        'no network',
      );
      await expect(llama('engines.install', NPM, { npm: join(folder, 'missing') })).rejects.toThrow(OperationError);
      await expect(llama('engines.install', NPM, { platform: 'darwin-arm64' })).rejects.toThrow(
        'The llama engine runs on Linux (x86-64, arm64), and this is darwin-arm64',
      );
      expect(await there()).toEqual([]);
    });
  });
});
