import { findLlama, installLlama, readLlamaLock, type LlamaInstall } from '#models/installs/llama/index.js';
import { cached, serversCache } from '#test/servers/cache.js';

/** The llama engine, installed once on each machine for each lock, and the value of ANNEAL_ENGINES_DIR. @throws InstallError */
export async function llamaForTests(): Promise<LlamaInstall & { readonly enginesDir: string }> {
  const enginesDir = await cached(serversCache(), `llama-${readLlamaLock().key}`, async (folder) => {
    await installLlama({ folders: [folder] });
  });
  const install = findLlama([enginesDir]);
  if (install === null) throw new Error(`${enginesDir} holds no llama engine`);
  return { ...install, enginesDir };
}
