import { describeWithPack } from '#test/packs/maven-packs.js';
import { expectSameFilesAfterKill } from '#test/support/killed-training.js';
import { benchEngine } from '#test/support/runner-bench.js';
import { trips } from '#test/support/trips.js';
import { ENCODER } from './facts.js';
import { packsEngine } from './registration.js';

const EPOCHS = 80;

await describeWithPack(ENCODER.pack, (modelsDir) => {
  it('a training job whose process is killed halfway resumes from its last checkpoint and makes the same files', async () => {
    const [engine] = packsEngine([modelsDir]);
    await expectSameFilesAfterKill(await benchEngine(engine!), trips(60), EPOCHS);
  });
});
