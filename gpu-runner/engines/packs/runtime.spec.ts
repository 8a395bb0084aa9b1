import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isInstalled, NATIVE, WASM } from './installed.js';

/** Opens a session in a process in which some packages do not load. @returns what it was refused with */
async function refusalWithout(packages: readonly string[]): Promise<string> {
  const script = `
    import Module from 'node:module';
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, ...rest) {
      if (${JSON.stringify(packages)}.some((each) => name.startsWith(each))) throw new Error('no ' + name.split('/')[0]);
      return resolve.call(this, name, ...rest);
    };
    const { openSession } = await import(${JSON.stringify(new URL('./runtime.js', import.meta.url).href)});
    try { openSession(Buffer.from('no model'), ['x']); } catch (error) { console.log(error.message); }
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.trim();
}

describe('the runtime of encoder packs', () => {
  (isInstalled(NATIVE) ? it : it.skip)('is native code', async () => {
    expect(await refusalWithout([])).toMatch(/^onnxruntime-node cannot load the model/);
  });

  (isInstalled(WASM.code) ? it : it.skip)('is WebAssembly if no native code loads', async () => {
    expect(await refusalWithout(['onnxruntime-node'])).toMatch(/^onnxruntime-web cannot load the model/);
  });

  it('is reported as missing if neither loads', async () => {
    expect(await refusalWithout(['onnxruntime-node', 'onnxruntime-web'])).toBe(
      'neither onnxruntime-node nor onnxruntime-web loads: no onnxruntime-node; no onnxruntime-web',
    );
  });
});
