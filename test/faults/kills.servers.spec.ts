import { describeDistributed } from '#test/deployments/with-servers.js';
import { stoppedLeaders } from './kills/leaders.js';
import { killedRunners } from './kills/runners.js';
import { SystemUnderKills } from './kills/system.js';
import { killedUploads } from './kills/uploads.js';

const system = new SystemUnderKills();

describeDistributed(`processes that are killed (SIGKILL), ANNEAL_FAULT_SEED=${system.seed}`, () => {
  beforeAll(() => system.start());
  afterAll(() => system.remove());

  describe('runners', () => killedRunners(system));
  describe('uploads during kills', () => killedUploads(system));
  describe('or suspended for a while', () => stoppedLeaders(system));
});
