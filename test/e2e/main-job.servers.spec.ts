import { describeDistributed, onServers } from '#test/deployments/with-servers.js';
import { whenAllIsKilled } from './kill-and-resume.js';
import { mainJob } from './main-job.js';

const TWO_OF_EACH = { apis: 2, workers: 2, runners: 2 };

describeDistributed('the main job, in processes of one role', () => mainJob(onServers(TWO_OF_EACH)));
describeDistributed('a training job whose processes are all killed', () => whenAllIsKilled(onServers(TWO_OF_EACH)));
