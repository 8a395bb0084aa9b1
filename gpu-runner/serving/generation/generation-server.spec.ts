import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { generationContract } from './generation-contract.fixture.js';

generationContract('the embedded bus', async () => {
  const bus = new InProcessBus();
  return { caller: bus, runner: bus };
});
