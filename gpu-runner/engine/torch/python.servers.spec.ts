import { describeWith, torchForTests } from '#test/torch/environment.js';
import { pytestFolder, runPytest } from '#test/torch/pytest.js';

const needed = async () => {
  const { python } = await torchForTests();
  return { python, pytest: await pytestFolder(python) };
};

await describeWith('the Python half of the torch engine', needed, ({ python, pytest }) => {
  it('passes its own tests', async () => {
    const { tests, skipped, failures } = await runPytest(python, pytest);
    expect(failures).toEqual([]);
    // The test of real weights, and two of bases in 4 bits: bitsandbytes is not part of the engine.
    expect(skipped).toBe(3);
    expect(tests).toBeGreaterThan(80);
    // A hundred tests in one: two minutes on quiet cores.
  }, 1_800_000);
});
