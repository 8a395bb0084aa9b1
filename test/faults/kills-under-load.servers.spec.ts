import { describeDistributed } from '#test/deployments/with-servers.js';
import { SystemUnderKills } from './kills/system.js';
import { killedUnderLoad, KILLS } from './kills/under-load.js';

const system = new SystemUnderKills();
const times = KILLS.flat().length;

describeDistributed(
  `processes that are killed (SIGKILL) under load, all at once and ${times} one by one, ANNEAL_FAULT_SEED=${system.seed}`,
  () => {
    beforeAll(() => system.start());
    afterAll(() => system.remove());

    killedUnderLoad(system);
  },
);
