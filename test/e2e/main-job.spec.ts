import { embedded } from '#test/deployments/embedded.js';
import { mainJob } from './main-job.js';

describe('the main job, in one process', () => mainJob(embedded));
