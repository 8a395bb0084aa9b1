import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { loadBase } from '#gpu-runner/engines/builtin/inference/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import { openPack } from '#gpu-runner/engines/packs/base.js';
import { ENCODER } from '#gpu-runner/engines/packs/facts.js';
import { PackTextEncoder } from '#gpu-runner/engines/packs/text-encoder.js';
import { zeroShotWeights } from '#gpu-runner/engines/packs/zero-shot/weights.js';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { fit, prepare } from './fitting.js';
import { readSentences } from './sentences.js';

await describeWithPack(ENCODER.pack, (modelsDir) => {
  it('the zero-shot tool learns the committed weights again', () => {
    const pack = openPack(ENCODER.pack, join(modelsDir, ENCODER.pack), 'sentence');
    const encoder = new PackTextEncoder(pack, { wanted: 'sentence', maxKeptBytes: 0, whenFull: 'keep' });
    const sentences = readSentences();
    const { tagger } = loadBase(builtin.baseModels[0]!.directory);
    const { choice, mention } = fit(prepare(sentences, tagger, encoder), sentences);
    const committed = zeroShotWeights();
    // Processors differ in the last bits of vectors.
    choice.forEach((weight, at) => expect(weight).toBeCloseTo(committed.choice[at]!, 1));
    mention.forEach((weight, at) => expect(weight).toBeCloseTo(committed.mention[at]!, 1));
  });
});
