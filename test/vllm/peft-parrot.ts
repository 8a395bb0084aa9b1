import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import type { DecoderEngine } from '#gpu-runner/engines/decoder-engine.js';
import { decoders as parrot } from '../decoder-engine/engine.js';

/** The parrot, whose artifacts have the files of an adapter of peft as well. */
export const decoders: DecoderEngine = {
  ...parrot,
  async train(request, report, signal) {
    const trained = await parrot.train(request, report, signal);
    const { baseDirectory, settings } = request;
    const write = (file: string, content: string) => writeFile(join(trained.artifactDirectory, file), content);
    await write('adapter_model.safetensors', 'weights');
    await write('adapter_config.json', JSON.stringify({ peft_type: 'LORA', r: settings.loraR }));
    await write('anneal.json', JSON.stringify({ base: { sha256: await baseModelSha256(baseDirectory) } }));
    return trained;
  },
};
