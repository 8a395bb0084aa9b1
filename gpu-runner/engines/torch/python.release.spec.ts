import { describeWith, torchForTests } from '#test/torch/environment.js';
import { pythonTools, reportOnEngine, testEngine } from '#test/torch/pytest.js';

const needed = async () => {
  const { python } = await torchForTests();
  return { python, tools: await pythonTools(python) };
};

await describeWith('the Python half of the torch engine', needed, ({ python, tools }) => {
  it('passes its own tests', async () => {
    const { tests, skipped, failures } = await testEngine(python, tools);
    expect(failures).toEqual([]);
    // The test of real weights, two of bases in 4 bits (bitsandbytes is not part of the engine), and two of a GPU.
    expect(skipped).toBe(5);
    expect(tests).toBeGreaterThan(80);
    // A hundred tests in one: two minutes on quiet cores.
  }, 1_800_000);

  it.each([
    ['ruff', ['format', '--check', '--no-cache', '.']],
    ['ruff', ['check', '--no-cache', '.']],
    ['pyright', ['--pythonpath', python]],
  ])('gives %s %j nothing to report', async (tool, args) => {
    expect(await reportOnEngine(tool, args, python, tools)).toBe('');
  });
});
